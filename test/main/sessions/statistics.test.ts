import type { Usage } from '@shared/events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readStatistics } from '../../../src/main/sessions/statistics';
import { clockReaches } from '../../support/clock';
import { probe, startRun, waitForRequests } from '../../support/run';
import { approval, openStore, rememberable, type Store, startSession } from '../../support/store';

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
    expect(readStatistics(store.database, 0)).toEqual({ agents: [], days: [], decisions: [] });
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
    const { days, agents } = readStatistics(store.database, 0);
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
});
