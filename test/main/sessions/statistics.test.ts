import { randomUUID } from 'node:crypto';
import type { EventBody, Usage } from '@shared/events';
import { CallId, RunId, SessionId } from '@shared/ids';
import type { Statistics } from '@shared/statistics';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { forkSession } from '../../../src/main/sessions/fork-session';
import type { RunRef } from '../../../src/main/sessions/journal';
import { readStatistics } from '../../../src/main/sessions/statistics';
import { clockReaches } from '../../support/clock';
import { probe, startRun, waitForRequests } from '../../support/run';
import {
  approval,
  newSession,
  openStore,
  rememberable,
  STARTED,
  type Store,
  startSession,
  wholeJournal,
} from '../../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
});

const usage = (input: number, costUsd: number | null): Usage => ({
  input,
  output: 10,
  cacheRead: 5,
  cacheWrite: 5,
  costUsd,
});

const NO_DAY = {
  turns: 0,
  tokens: 0,
  costUsd: null,
  workingMs: 0,
  waitingMs: 0,
  approved: 0,
  declined: 0,
  expired: 0,
  other: 0,
};

describe('statistics', () => {
  it('are of nothing where nothing was done', () => {
    expect(readStatistics(store.database, 0)).toEqual({
      agents: [],
      days: [],
      agentDays: [],
      decisions: [],
    });
  });

  it('add up tokens and cost by day, on the operator’s clock', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 2, 30, 23, 30) });
    const ref = startSession(store.journal);
    const say = (turn: number, spent: Usage) =>
      store.journal.append(
        ref,
        [{ type: 'assistant_message', turn, blocks: [], stopReason: 'end_turn', usage: spent }],
        'durable',
      );
    say(1, usage(100, 0.5));
    say(2, usage(200, null));
    vi.setSystemTime(new Date(2026, 2, 31, 0, 30));
    say(3, usage(300, null));
    const { days, agents, agentDays } = readStatistics(store.database, 0);
    expect(agentDays).toEqual([
      { day: '2026-03-30', agent: 'tester', tokens: 340, costUsd: 0.5 },
      { day: '2026-03-31', agent: 'tester', tokens: 320, costUsd: null },
    ]);
    expect(days).toMatchObject([
      { day: '2026-03-30', turns: 2, tokens: 340, costUsd: 0.5 },
      { day: '2026-03-31', turns: 1, tokens: 320, costUsd: null },
    ]);
    expect(agents).toMatchObject([{ agent: 'tester', sessions: 1, turns: 3, tokens: 660, costUsd: 0.5 }]);
    expect(readStatistics(store.database, new Date(2026, 2, 31).getTime()).days).toHaveLength(1);
  });

  it('tell decisions of the operator from those of others, and working from waiting', async () => {
    const edit = probe('edit');
    const turns = [
      {
        calls: [
          { tool: 'edit', input: { n: 1 } },
          { tool: 'edit', input: { n: 2 } },
        ],
      },
      { say: 'Over.' },
    ];
    const asked = startRun(store, turns, [edit.tool]);
    const [first] = await waitForRequests(store);
    if (first === undefined) throw new Error('nothing asked');
    await clockReaches(Date.now() + 30);
    store.inbox.answer(first.id, first.digest, { type: 'decline' });
    await vi.waitFor(() => expect(store.inbox.open().map(({ id }) => id === first.id)).toEqual([false]));
    asked.run.stop();
    await asked.run.ended;
    await startRun(store, turns, [edit.tool], { settings: { mode: 'readonly' } }).run.ended;
    const { decisions, agents } = readStatistics(store.database, 0);
    expect(decisions).toEqual([
      { outcome: 'readonly', by: 'app', count: 2 },
      { outcome: 'declined', by: 'operator', count: 1 },
      { outcome: 'stopped', by: 'run', count: 1 },
    ]);
    expect(agents).toMatchObject([{ sessions: 2, approved: 0, denied: 4 }]);
    expect(agents[0]?.waitingMs).toBeGreaterThanOrEqual(25);
  });

  it('tell day by day how long runs worked and waited, and how requests ended', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 2, 30, 12, 0, 0) });
    const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);
    const ref = startSession(store.journal);
    const enter = (state: 'thinking' | 'acting' | 'waiting') =>
      store.journal.append(ref, [{ type: 'run_state', state }], 'batched');
    pass(1_000);
    enter('thinking');
    pass(4_000);
    enter('waiting');
    pass(60_000);
    enter('acting');
    pass(5_000);
    store.journal.append(ref, [{ type: 'run_ended', state: 'completed', reason: 'done' }], 'durable');
    // Of a run that was cut off, nobody knows how long it worked.
    vi.setSystemTime(new Date(2026, 2, 31, 12, 0, 0));
    const cut = startSession(store.journal);
    const call = rememberable();
    const request = approval(cut, call);
    void store.inbox.ask(request, call);
    store.inbox.answer(request.id, request.digest, { type: 'decline' });
    const late = { ...approval(cut, call), createdAt: Date.now() };
    void store.inbox.ask(late, call);
    store.inbox.settleRun(cut.runId, 'interrupted');
    pass(3_600_000);
    store.journal.append(cut, [{ type: 'run_ended', state: 'interrupted', reason: 'cut off' }], 'durable');
    const { days } = readStatistics(store.database, 0);
    expect(days).toEqual([
      { ...NO_DAY, day: '2026-03-30', workingMs: 10_000, waitingMs: 60_000 },
      { ...NO_DAY, day: '2026-03-31', declined: 1, other: 1 },
    ]);
    const session = store.reader.session(ref.sessionId);
    expect(session).toMatchObject({ workingMs: 10_000, waitingMs: 60_000 });
  });

  it('count what a fork took over once, in the session where it happened, however often it is forked', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 2, 30, 12, 0, 0) });
    const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);
    const ref = startSession(store.journal);
    const append = (at: RunRef, ...bodies: EventBody[]) => store.journal.append(at, bodies, 'durable');
    const reply: EventBody = {
      type: 'assistant_message',
      turn: 1,
      blocks: [],
      stopReason: 'end_turn',
      usage: usage(100, 0.5),
    };
    const denied = (outcome: 'readonly' | 'no-operator'): EventBody => ({
      type: 'tool_denied',
      turn: 1,
      callId: CallId.parse('call_1'),
      tool: 'shell',
      outcome,
      reason: 'Denied.',
    });
    pass(10_000);
    append(ref, reply, denied('readonly'), denied('no-operator'), { type: 'run_state', state: 'waiting' });
    const call = rememberable();
    const request = approval(ref, call);
    void store.inbox.ask(request, call);
    pass(20_000);
    store.inbox.answer(request.id, request.digest, { type: 'approve', remember: null });
    append(ref, { type: 'run_state', state: 'acting' });
    pass(30_000);
    const inTheMiddle = append(ref, reply).events.at(-1)?.seq ?? 0;
    const end = append(ref, { type: 'run_ended', state: 'completed', reason: 'done' }).events.at(-1)?.seq ?? 0;

    const before = readStatistics(store.database, 0);
    expect(before.agents).toMatchObject([
      { sessions: 1, turns: 2, tokens: 240, costUsd: 1, workingMs: 40_000, waitingMs: 20_000, approved: 1, denied: 2 },
    ]);
    pass(86_400_000);
    const fork = async (sessionId: SessionId, seq: number) => {
      const newId = SessionId.parse(randomUUID());
      await forkSession(store.database, { sessionId, seq, newId, runId: RunId.parse(randomUUID()) });
      return newId;
    };
    const [whole, half] = [await fork(ref.sessionId, end), await fork(ref.sessionId, inTheMiddle)];
    pass(1_000);
    const again = await fork(half, wholeJournal(store, half).at(-1)?.seq ?? 0);
    store.journal.createSession(
      {
        ...newSession('cleared'),
        origin: { kind: 'clear', sessionId: ref.sessionId, title: 'A session', seq: null },
      },
      RunId.parse(randomUUID()),
      [{ type: 'run_ended', state: 'completed', reason: 'nothing was said yet' }],
    );
    const ofAll = (of: Statistics) => ({ ...of, agents: of.agents.map(({ sessions: _, ...sums }) => sums) });
    const after = readStatistics(store.database, 0);
    expect(ofAll(after)).toEqual(ofAll(before));
    expect(after.agents).toMatchObject([{ sessions: 5 }]);
    for (const id of [whole, half, again]) {
      const counts = { turns: 0, tokens: 0, costUsd: null, workingMs: 0, waitingMs: 0, approved: 0, denied: 0 };
      expect(store.reader.session(id), id).toMatchObject(counts);
    }

    // What happens in the fork itself counts, and in it.
    const own: RunRef = { sessionId: again, runId: RunId.parse(randomUUID()) };
    append(own, { ...STARTED, resumed: true });
    pass(5_000);
    append(own, reply, denied('readonly'), { type: 'run_ended', state: 'completed', reason: 'done' });
    const then = readStatistics(store.database, 0);
    expect(then.agents).toMatchObject([
      { turns: 3, tokens: 360, costUsd: 1.5, workingMs: 45_000, waitingMs: 20_000, approved: 1, denied: 3 },
    ]);
    expect(then.days).toMatchObject([
      { day: '2026-03-30', turns: 2, workingMs: 40_000, waitingMs: 20_000 },
      { day: '2026-03-31', turns: 1, workingMs: 5_000, waitingMs: 0, other: 1 },
    ]);
    expect(store.reader.session(again)).toMatchObject({ turns: 1, tokens: 120, workingMs: 5_000, denied: 1 });
  });

  it('of an agent and of its days are of the same time: what happened before is in neither', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 2, 30, 12, 0, 0) });
    const ref = startSession(store.journal);
    const say = (turn: number) =>
      store.journal.append(
        ref,
        [{ type: 'assistant_message', turn, blocks: [], stopReason: 'end_turn', usage: usage(100, 0.5) }],
        'durable',
      );
    say(1);
    vi.setSystemTime(new Date(2026, 2, 31, 12, 0, 0));
    say(2);
    const { agents, days } = readStatistics(store.database, new Date(2026, 2, 31).getTime());
    expect(agents).toMatchObject([{ sessions: 1, turns: 1, tokens: 120, costUsd: 0.5 }]);
    expect(days).toMatchObject([{ turns: 1, tokens: 120, costUsd: 0.5 }]);
  });

  it('say of each agent what it spent, where a session went on with another one', () => {
    const ref = startSession(store.journal);
    const spent = (input: number): EventBody => ({
      type: 'assistant_message',
      turn: 1,
      blocks: [{ type: 'text', text: 'x' }],
      stopReason: 'end_turn',
      usage: usage(input, 1),
    });
    const ended: EventBody = { type: 'run_ended', state: 'completed', reason: 'done' };
    store.journal.append(ref, [spent(1_000), ended], 'durable');
    const next = { ...ref, runId: RunId.parse(randomUUID()) };
    store.journal.append(next, [{ ...STARTED, agent: 'other', resumed: true }, spent(200), ended], 'durable', () =>
      store.journal.setAgent(ref.sessionId, { agentId: 'agent-2', agent: 'other', fingerprint: '{}' }),
    );
    const { agents, agentDays } = readStatistics(store.database, 0);
    const tokens = (figures: readonly { readonly agent: string; readonly tokens: number }[]) =>
      Object.fromEntries(figures.map((one) => [one.agent, one.tokens]));
    expect(tokens(agents)).toEqual({ tester: 1_020, other: 220 });
    expect(tokens(agentDays)).toEqual({ tester: 1_020, other: 220 });
  });
});
