import { randomUUID } from 'node:crypto';
import { RunId, SessionId } from '@shared/ids';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { conversationOf } from '../../../src/main/runs/conversation';
import { forkSession } from '../../../src/main/sessions/fork-session';
import { probe, startRun, waitForRequests } from '../../support/run';
import { openStore, type Store, wholeJournal } from '../../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => store.close());

const events = (sessionId: SessionId) => wholeJournal(store, sessionId);

async function fork(sessionId: SessionId, seq: number): Promise<SessionId> {
  const newId = SessionId.parse(randomUUID());
  await forkSession(store.database, { sessionId, seq, newId, runId: RunId.parse(randomUUID()) });
  store.journal.announce(newId);
  return newId;
}

/** A whole session of two turns, with one approval that was remembered. */
async function hold() {
  const edit = probe('edit');
  const turns = [{ say: 'First.', calls: [{ tool: 'edit', input: { n: 1 } }] }, { say: 'Done.' }];
  const { run, ref } = startRun(store, turns, [edit.tool]);
  const [request] = await waitForRequests(store);
  if (request === undefined) throw new Error('nothing asked');
  store.inbox.answer(request.id, request.digest, { type: 'approve', remember: 'session' });
  await run.ended;
  return { ref, edit, turns };
}

describe('a fork', () => {
  it('begins with the same conversation, remembers its origin, and counts nothing twice', async () => {
    const { ref } = await hold();
    const last = events(ref.sessionId).at(-1)?.seq ?? 0;
    const copy = await fork(ref.sessionId, last);
    const of = (id: SessionId) => conversationOf(store.reader.conversationEvents(id)).messages;
    const strip = (messages: ReturnType<typeof of>) => JSON.parse(JSON.stringify(messages));
    expect(strip(of(copy))).toEqual(strip(of(ref.sessionId)));
    expect(store.reader.session(copy)).toMatchObject({
      state: 'completed',
      turns: 0,
      tokens: 0,
      origin: { kind: 'fork', sessionId: ref.sessionId, title: 'A session', seq: last },
    });
    expect(store.grants.list(copy, 'agent-1')).toEqual([]);
    expect(store.reader.unendedRuns()).toEqual([]);
  });

  it('in the middle goes on from there: a call that had not begun is asked about anew', async () => {
    const { ref, edit, turns } = await hold();
    const asked = events(ref.sessionId).find(({ body }) => body.type === 'request_opened');
    const copy = await fork(ref.sessionId, asked?.seq ?? 0);
    expect(store.reader.session(copy)).toMatchObject({ state: 'interrupted', openRequests: 0, turns: 0 });
    expect(events(copy).filter(({ body }) => body.type === 'request_opened')).toEqual([]);

    const next = startRun(store, turns, [edit.tool], { ref: { sessionId: copy, runId: RunId.parse(randomUUID()) } });
    const [request] = await waitForRequests(store);
    expect(request).toMatchObject({ sessionId: copy, tool: 'edit' });
    if (request === undefined) throw new Error('nothing asked');
    store.inbox.answer(request.id, request.digest, { type: 'decline' });
    expect(await next.run.ended).toBe('completed');
    expect(edit.ran).toHaveLength(1);
    expect(events(ref.sessionId).some(({ body }) => body.type === 'tool_denied')).toBe(false);
  });

  it('of a session or an entry that is not there is refused, and leaves nothing', async () => {
    const { ref } = await hold();
    await expect(fork(SessionId.parse(randomUUID()), 1)).rejects.toThrow('no such session');
    await expect(fork(ref.sessionId, 1_000_000)).rejects.toThrow('no such entry');
    expect(store.reader.list({ query: '', limit: 10, after: null }).sessions).toHaveLength(1);
  });
});
