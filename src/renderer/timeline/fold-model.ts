import type { EventOf, JournalEvent } from '@shared/events';
import type { Draft } from './draft';
import type { AgentEntry, CallEntry, Entry, ThinkingEntry } from './entries';

type ModelEvent = EventOf<
  'model_started' | 'model_delta' | 'model_retry' | 'assistant_message' | 'compacting' | 'compacted'
>;
type Streamed = AgentEntry | ThinkingEntry;

/** Text streams in live; the whole message then takes its place, and a retry takes it away: nothing is shown twice. */
export function foldModel(draft: Draft, event: JournalEvent, body: ModelEvent): void {
  const turn = 'turn' in body ? `${event.runId}:${body.turn}` : '';
  switch (body.type) {
    case 'model_started':
      takeLive(draft, event, body.turn);
      draft.entries.push({ ...asking(event, body.turn), wanted: 'reply' });
      return;
    case 'compacting':
      takeLive(draft, event, body.turn);
      draft.entries.push({ ...asking(event, body.turn), wanted: 'summary' });
      return;
    case 'compacted': {
      const { replaced, kept, summary } = body;
      takeSummaryAsked(draft);
      // The turn is asked for from its beginning.
      draft.voided.clear();
      draft.entries.push({
        kind: 'compacted',
        key: `event:${event.seq}`,
        at: event.at,
        runId: event.runId,
        replaced,
        kept,
        summary,
      });
      return;
    }
    case 'model_delta':
      if (body.attempt > (draft.voided.get(turn) ?? 0)) foldDelta(draft, event, body);
      return;
    case 'model_retry':
      takeLive(draft, event, body.turn);
      draft.voided.set(turn, body.attempt);
      draft.entries.push({
        kind: 'retry',
        key: `retry:${turn}:${body.attempt}`,
        at: event.at,
        runId: event.runId,
        reason: body.reason,
      });
      return;
    case 'assistant_message': {
      const at = takeLive(draft, event, body.turn);
      draft.entries.splice(at, 0, ...messageEntries(event, body).map((entry) => withKeyOfItsOwn(draft, event, entry)));
    }
  }
}

function asking(event: JournalEvent, turn: number) {
  return { kind: 'asking' as const, key: `asking:${event.runId}:${turn}`, at: event.at, runId: event.runId, turn };
}

function takeSummaryAsked(draft: Draft): void {
  const at = draft.entries.findLastIndex((entry) => entry.kind === 'asking' && entry.wanted === 'summary');
  if (at >= 0) draft.entries.splice(at, 1);
}

/** A model may give a call the id of an earlier one; each is shown, and by its own key. */
function withKeyOfItsOwn(draft: Draft, event: JournalEvent, entry: Entry): Entry {
  if (entry.kind !== 'call') return entry;
  const key = draft.calls.has(entry.key) ? `${entry.key}:${event.seq}` : entry.key;
  draft.calls.add(key);
  return { ...entry, key };
}

function foldDelta(draft: Draft, event: JournalEvent, body: EventOf<'model_delta'>): void {
  const kind = body.kind === 'text' ? 'agent' : 'thinking';
  let streamed = 0;
  for (let index = draft.entries.length - 1; index >= 0; index -= 1) {
    const entry = draft.entries[index];
    if (entry === undefined || isOver(entry, event, body.turn)) break;
    if (entry.kind === 'asking') draft.entries.splice(index, 1);
    if (!isLive(entry, event, body.turn)) continue;
    if (streamed === 0 && entry.kind === kind) {
      draft.entries[index] = { ...entry, text: entry.text + body.text };
      return;
    }
    streamed += 1;
  }
  const base = {
    key: streamKey(event, body.turn, streamed),
    at: event.at,
    runId: event.runId,
    turn: body.turn,
    text: body.text,
    live: true,
  };
  draft.entries.push(kind === 'agent' ? { ...base, kind, stop: null } : { ...base, kind });
}

/** An entry that shows that everything before it belongs to other turns. */
function isOver(entry: Entry, event: JournalEvent, turn: number): boolean {
  return entry.runId !== event.runId || ('turn' in entry ? entry.turn : turn) < turn;
}

function isLive(entry: Entry, event: JournalEvent, turn: number): entry is Streamed {
  return (
    (entry.kind === 'agent' || entry.kind === 'thinking') &&
    entry.live &&
    entry.runId === event.runId &&
    entry.turn === turn
  );
}

/** Takes out what streamed of a turn; returns the place where it stood. */
function takeLive(draft: Draft, event: JournalEvent, turn: number): number {
  let at = draft.entries.length;
  let found = false;
  for (let index = draft.entries.length - 1; index >= 0; index -= 1) {
    const entry = draft.entries[index];
    if (entry === undefined || isOver(entry, event, turn)) break;
    if (!isLive(entry, event, turn) && entry.kind !== 'asking') continue;
    draft.entries.splice(index, 1);
    at = index;
    found = true;
  }
  return found ? at : draft.entries.length;
}

function streamKey(event: JournalEvent, turn: number, index: number): string {
  return `said:${event.runId}:${turn}:${index}`;
}

function messageEntries(event: JournalEvent, body: EventOf<'assistant_message'>): Entry[] {
  const entries: Entry[] = [];
  const stop = body.stopReason === 'end_turn' || body.stopReason === 'tool_use' ? null : body.stopReason;
  let said = 0;
  for (const block of body.blocks) {
    if (block.type === 'tool_use') {
      entries.push(newCall(event, block.id, block.name, block.inputText));
      continue;
    }
    if (block.type === 'provider') continue;
    if (block.type === 'text' && block.text.trim() === '') continue;
    const base = {
      key: streamKey(event, body.turn, said),
      at: event.at,
      runId: event.runId,
      turn: body.turn,
      live: false,
    };
    said += 1;
    if (block.type === 'text') entries.push({ ...base, kind: 'agent', text: block.text, stop: null });
    else entries.push({ ...base, kind: 'thinking', text: block.type === 'thinking' ? block.text : '' });
  }
  if (stop === null) return entries;
  const last = entries.findLastIndex((entry) => entry.kind === 'agent');
  const entry = entries[last];
  if (entry?.kind === 'agent') entries[last] = { ...entry, stop };
  else {
    const key = streamKey(event, body.turn, said);
    entries.push({
      kind: 'agent',
      key,
      at: event.at,
      runId: event.runId,
      turn: body.turn,
      text: '',
      live: false,
      stop,
    });
  }
  return entries;
}

export function newCall(
  event: JournalEvent,
  callId: CallEntry['callId'],
  tool: string,
  inputText: string | null,
): CallEntry {
  return {
    kind: 'call',
    key: `call:${callId}`,
    at: event.at,
    runId: event.runId,
    callId,
    tool,
    inputText,
    preview: null,
    command: null,
    phase: { is: 'queued' },
    allowed: null,
    keptBy: undefined,
    shownIn: null,
    ranIn: null,
    output: '',
    outputBytes: 0,
    result: null,
    durationMs: null,
    allows: [],
    starts: 0,
    attempts: [],
  };
}
