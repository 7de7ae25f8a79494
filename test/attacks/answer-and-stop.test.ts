import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { probe, startRun, waitForRequests } from '../support/run';
import { openStore, type Store } from '../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => store.close());

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
const TURNS = [{ calls: [{ tool: 'shell', input: { command: 'make' } }] }, { say: 'Done.' }];

const WAYS = ['stop', 'interrupt'] as const;

describe.each(WAYS)('an approval, and then %s', (way) => {
  it('however close, is carried out as it stands on record, once or not at all', async () => {
    for (let turns = 0; turns < 24; turns += 1) {
      const shell = probe('shell');
      const { run, events } = startRun(store, TURNS, [shell.tool]);
      const [request] = await waitForRequests(store);
      if (request === undefined) throw new Error('nothing asked');
      store.inbox.answer(request.id, request.digest, { type: 'approve', remember: 'session' });
      for (let turn = 0; turn < turns; turn += 1) await nextTurn();
      run[way]();
      // What comes late finds nothing that it could answer.
      expect(() => store.inbox.answer(request.id, request.digest, { type: 'approve', remember: null })).toThrow();
      await run.ended;
      const of = (type: string) => events().filter((body) => body.type === type).length;
      expect(shell.ran.length, `${turns} turns later`).toBe(of('call_started'));
      expect(shell.ran.length).toBeLessThanOrEqual(1);
      expect(of('request_settled')).toBe(1);
      expect(of('call_result')).toBeLessThanOrEqual(1);
      if (way === 'stop') expect(of('call_result') + of('tool_denied')).toBe(1);
      // Whatever of it was begun after the end would show now.
      for (let turn = 0; turn < 10; turn += 1) await nextTurn();
      expect(shell.ran.length).toBe(of('call_started'));
    }
  });
});

describe.each(WAYS)('%s, and then an approval in the same moment', (way) => {
  it('runs nothing, and remembers nothing', async () => {
    const shell = probe('shell');
    const { run, ref, events } = startRun(store, TURNS, [shell.tool]);
    const [request] = await waitForRequests(store);
    if (request === undefined) throw new Error('nothing asked');
    run[way]();
    let refused = false;
    try {
      store.inbox.answer(request.id, request.digest, { type: 'approve', remember: 'session' });
    } catch {
      refused = true;
    }
    await run.ended;
    expect(shell.ran).toEqual([]);
    expect(events().filter(({ type }) => type === 'call_started')).toEqual([]);
    if (refused) expect(store.grants.list(ref.sessionId, 'agent-1')).toEqual([]);
  });
});
