import { randomUUID } from 'node:crypto';
import type { EventBody, EventOf } from '@shared/events';
import { CallId, RequestId, RunId } from '@shared/ids';
import type { Settlement } from '@shared/requests';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recoverInterrupted } from '../../../src/main/runs/recovery';
import type { RunRef } from '../../../src/main/sessions/journal';
import { humanTools } from '../../../src/main/tools/registry';
import { probe, startRun, waitForRequests } from '../../support/run';
import { openStore, type Store, startSession } from '../../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => store.close());

const callId = CallId.parse('call_1');
const USAGE = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: null };
const DECLINED: Settlement = { outcome: 'declined', by: 'operator', reason: 'never do this' };
const SAY = [{ say: 'Done.' }];

/** A session that was killed when a request about its only call was settled, and nothing came of that yet. */
function killed(tool: string, input: string, settlement: Settlement, before: readonly EventBody[] = []): RunRef {
  const ref = startSession(store.journal);
  const block = { type: 'tool_use' as const, id: callId, name: tool, inputText: input };
  const requestId = RequestId.parse(randomUUID());
  store.journal.append(
    ref,
    [
      { type: 'assistant_message', turn: 1, blocks: [block], stopReason: 'tool_use', usage: USAGE },
      ...before,
      { type: 'request_settled', requestId, callId, settlement, afterMs: 1 },
    ],
    'durable',
  );
  recoverInterrupted(store.reader, store.journal, store.inbox);
  return { ...ref, runId: RunId.parse(randomUUID()) };
}

const last = <T extends EventBody['type']>(events: readonly EventBody[], type: T) =>
  events.findLast((body): body is EventOf<T> => body.type === type);

describe('a call that was denied, and whose run was killed before that was its result', () => {
  it.each<[Settlement, RegExp]>([
    [DECLINED, /the operator declined edit.*words: never do this/],
    [{ outcome: 'expired', by: 'clock' }, /nobody answered/],
    [{ outcome: 'stopped', by: 'run' }, /was stopped before/],
    [{ outcome: 'failed', by: 'app', reason: 'The approver failed.' }, /could not be put.*approver failed/],
  ])('is denied when it goes on, and nobody is asked again: $outcome', async (settlement, words) => {
    const ref = killed('edit', '{}', settlement);
    const edit = probe('edit');
    const { run, events } = startRun(store, SAY, [edit.tool], { ref });
    expect(await run.ended).toBe('completed');
    expect(edit.ran).toEqual([]);
    const { outcome } = settlement;
    expect(last(events(), 'tool_denied')).toMatchObject({ outcome, reason: expect.stringMatching(words) });
    expect(last(events(), 'request_opened')).toBeUndefined();
  });

  it('is not run by what is remembered of others since', async () => {
    const ref = killed('edit', '{"n":1}', DECLINED);
    const edit = probe('edit');
    const turns = [{ calls: [{ tool: 'edit', input: { n: 2 } }] }, ...SAY];
    const other = startRun(store, turns, [edit.tool]);
    const [request] = await waitForRequests(store);
    if (request === undefined) throw new Error('nothing was asked');
    store.inbox.answer(request.id, request.digest, { type: 'approve', remember: 'agent' });
    await other.run.ended;
    const { run } = startRun(store, SAY, [edit.tool], { ref });
    expect(await run.ended).toBe('completed');
    expect(edit.ran).toEqual(['{"n":2}']);
  });

  it.each<Settlement>([
    { outcome: 'approved', by: 'operator', answer: { type: 'approve', remember: null } },
    { outcome: 'interrupted', by: 'app' },
  ])('is asked about again where it was not denied: $outcome', async (settlement) => {
    const ref = killed('edit', '{}', settlement);
    const { run } = startRun(store, SAY, [probe('edit').tool], { ref });
    expect(await waitForRequests(store)).toMatchObject([{ kind: 'approval', tool: 'edit' }]);
    run.stop();
    await run.ended;
  });

  it('keeps what it came to, where it was more that was declined', async () => {
    const call = { turn: 1, callId, tool: 'edit' };
    const preview = { kind: 'arguments' as const, rows: [] };
    const digest = 'a'.repeat(64);
    const ref = killed('edit', '{}', DECLINED, [
      { type: 'call_started', ...call, preview, command: [], digest, program: null, allowedBy: 'ungated' },
      {
        type: 'call_refused',
        ...call,
        content: 'as far as it came',
        exitCode: 1,
        durationMs: 1,
        asks: [{ kind: 'network', host: 'example.org', port: 443 }],
      },
    ]);
    const edit = probe('edit');
    const { run, events } = startRun(store, SAY, [edit.tool], { ref });
    expect(await run.ended).toBe('completed');
    expect(edit.ran).toEqual([]);
    const content = expect.stringMatching(/^as far as it came.*and declined.*never do this/s);
    expect(last(events(), 'call_result')).toMatchObject({ content });
  });
});

describe('a question that was answered, and whose run was killed before that was its result', () => {
  const ask = humanTools().filter(({ name }) => name === 'ask_human_confirm');
  const go = (settlement: Settlement) =>
    startRun(store, SAY, ask, { ref: killed('ask_human_confirm', '{"question":"Go on?"}', settlement) });

  it.each<[string, Settlement, string]>([
    [
      'yes',
      { outcome: 'approved', by: 'operator', answer: { type: 'confirm', confirmed: true } },
      '{"confirmed":true}',
    ],
    ['declined', DECLINED, '{"confirmed":false,"reason":"never do this"}'],
    ['nobody', { outcome: 'expired', by: 'clock' }, '{"confirmed":false,"reason":"nobody answered within the limit"}'],
  ])('has that answer, and is not asked again: %s', async (_name, settlement, content) => {
    const { run, events } = go(settlement);
    expect(await run.ended).toBe('completed');
    expect(last(events(), 'call_result')).toMatchObject({ content });
    expect(last(events(), 'request_opened')).toBeUndefined();
  });

  it.each<[string, Settlement]>([
    ['the app was closed', { outcome: 'interrupted', by: 'app' }],
    [
      'the answer was to something else',
      { outcome: 'approved', by: 'operator', answer: { type: 'approve', remember: null } },
    ],
  ])('is asked again where it was not answered: %s', async (_name, settlement) => {
    const { run } = go(settlement);
    expect(await waitForRequests(store)).toMatchObject([{ kind: 'question', question: 'Go on?' }]);
    run.stop();
    await run.ended;
  });
});
