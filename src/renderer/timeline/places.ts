import type { JournalEvent } from '@shared/events';
import type { Entry } from './entries';
import { fold, NOTHING_FOLDED } from './fold';

/** The entry that shows an event, by its key; null where none of what is loaded does. */
export function entryOf(events: readonly JournalEvent[], seq: number): string | null {
  const event = events.find((candidate) => candidate.seq === seq);
  if (event === undefined) return null;
  const { body } = event;
  if (body.type === 'request_opened' && body.request.kind === 'approval') return `call:${body.request.callId}`;
  if ('callId' in body && body.type !== 'grant_used') {
    const call = `call:${body.callId}`;
    const { entries } = fold(NOTHING_FOLDED, events);
    const question = entries.find((entry) => entry.kind === 'question' && entry.callId === body.callId);
    return question?.key ?? call;
  }
  if (body.type === 'assistant_message') {
    // What was found of it stands in its words, not in the calls that came with them.
    const { entries } = fold(NOTHING_FOLDED, events);
    const { runId } = event;
    const said = entries.find((entry) => entry.kind === 'agent' && entry.runId === runId && entry.turn === body.turn);
    if (said !== undefined) return said.key;
  }
  const before = fold(
    NOTHING_FOLDED,
    events.filter((candidate) => candidate.seq <= seq),
  );
  return before.entries.at(-1)?.key ?? null;
}

/** Whether a new session can go on from an entry: from all but those that are gone when the reply is there. */
export function canFork({ kind }: Entry): boolean {
  return kind !== 'asking' && kind !== 'retry';
}

/** The last event of what an entry shows, where it is one that a fork can end with; null for the others. */
export function seqOf(events: readonly JournalEvent[], entry: Entry): number | null {
  switch (entry.kind) {
    case 'user':
    case 'notice':
    case 'grant':
    case 'compacted':
    case 'run-start':
    case 'run-end':
      return Number(entry.key.replace('event:', '')) || null;
    case 'agent':
    case 'thinking': {
      // Both came with the same reply, and its calls with them.
      if (entry.live) return null;
      const found = events.findLast(
        ({ body, runId }) => body.type === 'assistant_message' && body.turn === entry.turn && runId === entry.runId,
      );
      return found?.seq ?? null;
    }
    case 'call':
    case 'question': {
      const { callId } = entry;
      const ended = events.findLast(
        ({ body }) => (body.type === 'call_result' || body.type === 'tool_denied') && body.callId === callId,
      );
      return ended?.seq ?? null;
    }
    case 'asking':
    case 'retry':
      return null;
  }
}
