import type { Usage } from '@shared/events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readStatistics } from '../../../src/main/sessions/statistics';
import { clockReaches } from '../../support/clock';
import { probe, startRun, waitForRequests } from '../../support/run';
import { openStore, type Store, startSession } from '../../support/store';

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
    expect(days).toEqual([
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
});
