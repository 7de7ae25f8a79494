import { randomUUID } from 'node:crypto';
import type { EventBody } from '@shared/events';
import { CallId, RunId, SessionId } from '@shared/ids';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { conversationOf } from '../../../src/main/runs/conversation';
import { forkSession } from '../../../src/main/sessions/fork-session';
import { SessionRemover } from '../../../src/main/sessions/remove-session';
import { indexFork } from '../../../src/main/sessions/search/index-forks';
import { parseSearch } from '../../../src/main/sessions/search/query';
import { Search } from '../../../src/main/sessions/search/search';
import { probe, startRun, waitForRequests } from '../../support/run';
import { openStore, STARTED, type Store, startSession, wholeJournal } from '../../support/store';

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

  it('is made of a session in which entries are damaged, too', async () => {
    const { ref } = await hold();
    const damage = "UPDATE events SET body = 'no JSON' WHERE type IN ('assistant_message', 'request_opened')";
    expect(store.database.prepare(damage).run().changes).toBe(3);
    const copy = await fork(ref.sessionId, events(ref.sessionId).at(-1)?.seq ?? 0);
    const notices = events(copy).flatMap(({ body }) => (body.type === 'notice' ? [body.text] : []));
    expect(notices.filter((text) => text.endsWith('is damaged and cannot be read.'))).toHaveLength(3);
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

  it('anywhere tells the model just what it had been told there, words that were said in mid-reply in their place', async () => {
    const ref = startSession(store.journal);
    const later = { ...ref, runId: RunId.parse(randomUUID()) };
    const resumed = RICH.findIndex(({ type }) => type === 'run_started');
    for (const [at, body] of RICH.entries()) store.journal.append(at < resumed ? ref : later, [body], 'durable');
    const whole = events(ref.sessionId);
    for (const { seq, body } of whole) {
      const before = whole.filter((event) => event.seq <= seq);
      const told = conversationOf([...before, { body: CUT }]);
      const copy = await fork(ref.sessionId, seq);
      expect(conversationOf(store.reader.conversationEvents(copy)), `${body.type} ${seq}`).toEqual(told);
      const again = await fork(copy, events(copy).at(-1)?.seq ?? 0);
      expect(conversationOf(store.reader.conversationEvents(again)), `again, ${body.type} ${seq}`).toEqual(told);
    }
    expect(conversationOf(whole).messages.at(-1)).toEqual({ role: 'user', text: 'Said in the last reply' });
  });

  it('is found by a search once its origin is gone, and was found in that until then', async () => {
    const { ref } = await hold();
    const copy = await fork(ref.sessionId, events(ref.sessionId).at(-1)?.seq ?? 0);
    const again = await fork(copy, events(copy).at(-1)?.seq ?? 0);
    const found = (query: string) => {
      const parsed = parseSearch(query, Date.now());
      if (!parsed.ok) throw new Error(parsed.problem);
      const { hits } = new Search(store.database).find(parsed.query, { before: null, limit: 100 });
      return hits.map(({ sessionId, type }) => `${sessionId} ${type}`).sort();
    };
    const of = (sessionId: SessionId, ...types: string[]) => types.map((type) => `${sessionId} ${type}`).sort();
    const queries: Readonly<Record<string, readonly string[]>> = {
      'First.': ['assistant_message'],
      'tool:edit outcome:approved edit': ['request_settled'],
      something: ['user_message'],
    };
    const remover = new SessionRemover(store.database);
    for (const [at, session] of [ref.sessionId, copy, again].entries()) {
      for (const [query, types] of Object.entries(queries)) expect(found(query), query).toEqual(of(session, ...types));
      if (at < 2) await remover.remove([session], () => {});
    }
    // What is done twice is done once, and the fork goes out of the index with all of it.
    await indexFork(store.database, again);
    expect(found('something')).toEqual(of(again, 'user_message'));
    await remover.remove([again], () => {});
    for (const query of Object.keys(queries)) expect(found(query)).toEqual([]);
    expect(store.database.prepare('SELECT count(*) FROM event_search').pluck().get()).toBe(0);
  });

  it('made while a call runs asks what is to happen with it, in words that are true of a fork', async () => {
    let finish = (): void => {};
    const slow = probe('slow', {
      dangerous: false,
      run: () => new Promise((resolve) => (finish = () => resolve('ok'))),
    });
    const turns = [{ calls: [{ tool: 'slow', input: {} }] }, { say: 'Done.' }];
    const { run, ref } = startRun(store, turns, [slow.tool]);
    await vi.waitFor(() => expect(slow.ran).toHaveLength(1));
    const started = events(ref.sessionId).find(({ body }) => body.type === 'call_started');
    const copy = await fork(ref.sessionId, started?.seq ?? 0);
    finish();
    await run.ended;

    const next = startRun(store, turns, [slow.tool], { ref: { sessionId: copy, runId: RunId.parse(randomUUID()) } });
    const [request] = await waitForRequests(store);
    if (request?.kind !== 'question') throw new Error('nothing asked');
    expect(request.question).toMatch(/^slow was started, and how it ended is not on record: it may already have run/);
    store.inbox.answer(request.id, request.digest, { type: 'select', selected: 0 });
    expect(await next.run.ended).toBe('completed');
    expect(slow.ran).toHaveLength(1);
    const words = JSON.stringify(events(copy));
    expect(words).toContain('The operator chose not to run it again');
    expect(words).not.toMatch(/app (?:has )?ended|app was closed/);
  });
});

const CUT: EventBody = { type: 'run_ended', state: 'interrupted', reason: 'forked' };
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: null };
const callId = (id: string) => CallId.parse(id);
const reply = (turn: number, ...ids: string[]): EventBody => ({
  type: 'assistant_message',
  turn,
  blocks: [
    { type: 'text', text: `Turn ${turn}` },
    ...ids.map((id) => ({ type: 'tool_use' as const, id: callId(id), name: 'edit', inputText: '{}' })),
  ],
  stopReason: ids.length > 0 ? 'tool_use' : 'end_turn',
  usage,
});
const began = (turn: number, attempt = 1): EventBody => ({ type: 'model_started', turn, attempt });
const said = (text: string): EventBody => ({ type: 'user_message', text });

/** Everything that a conversation follows from, behind a start and a first message. */
const RICH: readonly EventBody[] = [
  began(1),
  said('Said in mid-reply'),
  { type: 'model_retry', turn: 1, attempt: 1, reason: 'it broke' },
  began(1, 2),
  { type: 'notice', level: 'warning', text: 'For the model', forModel: true },
  reply(1, 'call_1', 'call_2'),
  said('Said while a call is open'),
  {
    type: 'call_started',
    turn: 1,
    callId: callId('call_1'),
    tool: 'edit',
    preview: { kind: 'arguments', rows: [] },
    command: [],
    digest: 'a'.repeat(64),
    program: null,
    allowedBy: 'ungated',
  },
  {
    type: 'call_refused',
    turn: 1,
    callId: callId('call_1'),
    tool: 'edit',
    content: 'refused',
    exitCode: 1,
    durationMs: 1,
    asks: [{ kind: 'network', host: 'example.org', port: 443 }],
  },
  {
    type: 'call_result',
    turn: 1,
    callId: callId('call_1'),
    tool: 'edit',
    content: 'ok',
    isError: false,
    durationMs: 1,
  },
  { type: 'tool_denied', turn: 1, callId: callId('call_2'), tool: 'edit', outcome: 'declined', reason: 'Denied.' },
  { type: 'compacting', turn: 2 },
  { type: 'compacted', summary: 'What came before', replaced: 2, kept: 2, usage },
  began(2),
  said('Said before a crash'),
  { type: 'run_ended', state: 'interrupted', reason: 'it crashed' },
  STARTED,
  began(2),
  said('Said in the last reply'),
  reply(2),
  { type: 'run_ended', state: 'completed', reason: 'done' },
];
