import { join } from 'node:path';
import type { EventBody } from '@shared/events';
import { type JsonValue, MAX_JSON_DEPTH } from '@shared/json';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recoverInterrupted } from '../../src/main/runs/recovery';
import { DATABASE_FILE } from '../../src/main/sessions/database';
import type { StoreWorker } from '../../src/main/sessions/worker/store-worker';
import { forge } from '../support/forged-file';
import { openStore, type Store, startSession } from '../support/store';
import { buildStoreWorker } from '../support/store-worker';

let built: Awaited<ReturnType<typeof buildStoreWorker>>;
let store: Store;
let worker: StoreWorker;
beforeAll(async () => {
  built = await buildStoreWorker();
});
afterAll(() => built.remove());
beforeEach(async () => {
  store = await openStore();
  worker = built.open(join(store.home, DATABASE_FILE));
});
afterEach(async () => {
  await worker.close();
  await store.close();
});

/** What a provider did by itself, nested so many levels deep. */
function nested(levels: number): EventBody {
  let value: JsonValue = 'x';
  for (let level = 1; level < levels; level += 1) value = [value];
  const data = { x: value };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: null };
  return { type: 'assistant_message', turn: 1, blocks: [{ type: 'provider', data }], stopReason: 'pause_turn', usage };
}

describe('JSON that is nested deeper than the stack of the main process', () => {
  it.each([MAX_JSON_DEPTH + 2, 1_000, 2_500, 4_000])('is not taken in from a file: %i levels', async (levels) => {
    const path = join(store.home, 'deep.jsonl');
    await forge(path, { ended: false, events: [nested(levels)] });
    await expect(worker.ask('import', { path })).rejects.toThrow(/Line 3 .*Nothing was taken in/);
  });

  it('keeps no session from being read or put right where it is on record, and no start from succeeding', () => {
    const [deep, other] = [startSession(store.journal), startSession(store.journal)];
    const insert = store.database.prepare(
      'INSERT INTO events (session_id, run_id, at, type, body) VALUES (?, ?, ?, ?, ?)',
    );
    const body = `{"type":"assistant_message","turn":1,"blocks":[{"type":"provider","data":{"x":${'['.repeat(9_000)}${']'.repeat(9_000)}}}]}`;
    insert.run(deep.sessionId, deep.runId, Date.now(), 'assistant_message', body);
    expect(recoverInterrupted(store.reader, store.journal, store.inbox)).toBe(2);
    const states = [deep, other].map(({ sessionId }) => store.reader.session(sessionId)?.state);
    expect(states).toEqual(['interrupted', 'interrupted']);
    const said = [...store.reader.conversationEvents(deep.sessionId)].map((event) => event.body);
    expect(said).toContainEqual(expect.objectContaining({ type: 'notice', text: expect.stringMatching(/is damaged/) }));
    expect(said).toContainEqual({ type: 'user_message', text: 'Do something' });
  });

  it('ends the start of no other session where one cannot be put right', () => {
    const [broken, other] = [startSession(store.journal), startSession(store.journal)];
    store.database.prepare("UPDATE events SET run_id = 'no id' WHERE session_id = ?").run(broken.sessionId);
    const told: unknown[] = [];
    const put = () =>
      recoverInterrupted(store.reader, store.journal, store.inbox, undefined, undefined, (e) => told.push(e));
    expect(put()).toBe(1);
    expect(told).toHaveLength(1);
    expect(store.reader.session(other.sessionId)?.state).toBe('interrupted');
  });
});
