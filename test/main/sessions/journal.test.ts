import type { EventBody } from '@shared/events';
import { CallId } from '@shared/ids';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore, type Store, startSession } from '../../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => store.close());

const text = (words: string): EventBody => ({ type: 'user_message', text: words });
const page = (s: Store, ref: ReturnType<typeof startSession>, limit = 100) =>
  s.reader.events({ sessionId: ref.sessionId, from: { at: 'end' }, limit });

describe('the journal', () => {
  it('tells its listeners only what is committed', () => {
    const seen: number[] = [];
    store.journal.onAppend(({ events }) => {
      const rows = store.database.prepare('SELECT count(*) FROM events WHERE seq = ?').pluck();
      for (const { seq } of events) seen.push(Number(rows.get(seq)));
    });
    startSession(store.journal);
    expect(seen).toEqual([1, 1]);
  });

  it('does nothing at all when what must happen together with it fails', () => {
    const ref = startSession(store.journal);
    const before = page(store, ref);
    const fail = () => {
      throw new Error('no');
    };
    expect(() => store.journal.append(ref, [text('lost')], 'durable', fail)).toThrow('no');
    expect(page(store, ref)).toEqual(before);
  });

  it('pages in order from the end, before and after a place', () => {
    const ref = startSession(store.journal);
    for (let index = 0; index < 10; index += 1) store.journal.append(ref, [text(`m${index}`)], 'batched');
    const end = page(store, ref, 4);
    expect(end.events.map(({ body }) => 'text' in body && body.text)).toEqual(['m6', 'm7', 'm8', 'm9']);
    expect(end.hasMore).toBe(true);
    const first = end.events[0]?.seq ?? 0;
    const before = store.reader.events({ sessionId: ref.sessionId, from: { at: 'before', seq: first }, limit: 100 });
    expect(before.events).toHaveLength(8);
    expect(before.hasMore).toBe(false);
    const after = store.reader.events({ sessionId: ref.sessionId, from: { at: 'after', seq: first }, limit: 2 });
    expect(after.events.map(({ body }) => 'text' in body && body.text)).toEqual(['m7', 'm8']);
    expect(after.hasMore).toBe(true);
  });

  it('hands out a conversation page by page, without what merely streamed, and lets others write between', () => {
    const ref = startSession(store.journal);
    const delta: EventBody = { type: 'model_delta', turn: 1, attempt: 1, kind: 'text', text: 'a' };
    for (let index = 0; index < 250; index += 1) store.journal.append(ref, [delta, text(`m${index}`)], 'batched');
    const read: string[] = [];
    for (const { body } of store.reader.conversationEvents(ref.sessionId)) {
      if (read.length === 120) store.journal.append(ref, [text('meanwhile')], 'batched');
      read.push('text' in body ? body.text : body.type);
    }
    const said = Array.from({ length: 250 }, (_, index) => `m${index}`);
    expect(read).toEqual(['run_started', 'Do something', ...said, 'meanwhile']);
  });

  it('shows a damaged line in its place, and every other line', () => {
    const ref = startSession(store.journal);
    const { events } = store.journal.append(ref, [text('a'), text('b')], 'durable');
    store.database.prepare("UPDATE events SET body = '{' WHERE seq = ?").run(events[0]?.seq);
    const bodies = page(store, ref).events.map(({ body }) => body);
    expect(bodies.at(-2)).toMatchObject({ type: 'notice', level: 'error' });
    expect(bodies.at(-1)).toEqual(text('b'));
  });

  it('counts turns, tokens and cost from the replies on record', () => {
    const ref = startSession(store.journal);
    const usage = { input: 100, output: 20, cacheRead: 3, cacheWrite: 4, costUsd: 0.25 };
    for (const turn of [1, 2]) {
      store.journal.append(
        ref,
        [{ type: 'assistant_message', turn, blocks: [], stopReason: 'end_turn', usage }],
        'durable',
      );
    }
    expect(store.reader.session(ref.sessionId)).toMatchObject({ turns: 2, tokens: 254, costUsd: 0.5 });
  });

  it('finds sessions by words that were said, run or asked, and not by syntax', () => {
    const one = startSession(store.journal);
    const two = startSession(store.journal);
    store.journal.append(one, [text('rotate the staging keys "now" OR else')], 'durable');
    const started: EventBody = {
      type: 'call_started',
      turn: 1,
      callId: CallId.parse('c1'),
      tool: 'run_command',
      preview: { kind: 'arguments', rows: [] },
      command: [{ segments: [{ text: 'terraform', escape: false }], warnings: [] }],
      digest: 'a'.repeat(64),
      program: null,
      allowedBy: 'ungated',
    };
    store.journal.append(two, [started], 'durable');
    const find = (query: string) => store.reader.list({ query, limit: 10, after: null }).sessions.map(({ id }) => id);
    expect(find('staging rot')).toEqual([one.sessionId]);
    expect(find('terraf')).toEqual([two.sessionId]);
    expect(find('"now" OR')).toEqual([one.sessionId]);
    for (const odd of ['"', "'", '*', '-', '(', 'NEAR(', '\\', '%', '-- ;']) expect(find(odd)).toEqual([]);
    expect(find('').sort()).toEqual([one.sessionId, two.sessionId].sort());
  });

  it('lists what needs the operator first, then what works, then what has ended, page by page', () => {
    const ended = startSession(store.journal);
    store.journal.append(ended, [{ type: 'run_ended', state: 'completed', reason: 'done' }], 'durable');
    const working = startSession(store.journal);
    const seen: string[] = [];
    let after: (typeof ended)['sessionId'] | null = null;
    for (;;) {
      const { sessions, hasMore } = store.reader.list({ query: '', limit: 1, after });
      seen.push(...sessions.map(({ id }) => id));
      after = sessions.at(-1)?.id ?? null;
      if (!hasMore) break;
    }
    expect(seen).toEqual([working.sessionId, ended.sessionId]);
  });

  it('knows which runs a crash left without an end', () => {
    const ended = startSession(store.journal);
    store.journal.append(ended, [{ type: 'run_ended', state: 'completed', reason: 'done' }], 'durable');
    const open = startSession(store.journal);
    expect(store.reader.unendedRuns()).toEqual([{ sessionId: open.sessionId, runId: open.runId }]);
  });
});
