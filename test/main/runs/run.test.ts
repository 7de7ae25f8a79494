import { randomUUID } from 'node:crypto';
import type { EventBody, EventOf, EventType } from '@shared/events';
import { CallId, RunId } from '@shared/ids';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recoverInterrupted } from '../../../src/main/runs/recovery';
import { probe, startRun, waitForRequests } from '../../support/run';
import { openStore, type Store } from '../../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
});

const call = (tool: string, input: unknown = {}) => ({ tool, input });
const one = (tool: string, input?: unknown) => [{ calls: [call(tool, input)] }, { say: 'Done.' }];
const of = <T extends EventType>(events: readonly EventBody[], type: T) =>
  events.filter((body): body is EventOf<T> => body.type === type);

async function answer(
  decision: { type: 'approve'; remember: 'session' | null } | { type: 'decline'; reason?: string },
) {
  const [request] = await waitForRequests(store);
  if (request === undefined) throw new Error('nothing to answer');
  store.inbox.answer(request.id, request.digest, decision);
  return request;
}

describe('a run', () => {
  it('runs what is not dangerous without asking, in order, and ends when the model has no more calls', async () => {
    const look = probe('look', { dangerous: false });
    const turns = [{ calls: [call('look', { a: 1 }), call('look', { a: 2 })] }, { say: 'Done.' }];
    const { run, events } = startRun(store, turns, [look.tool]);
    expect(await run.ended).toBe('completed');
    expect(look.ran).toEqual(['{"a":1}', '{"a":2}']);
    const order = events()
      .map(({ type }) => type)
      .filter((type) => !['run_state', 'model_delta', 'model_started'].includes(type));
    expect(order).toEqual([
      'run_started',
      'user_message',
      'assistant_message',
      'call_started',
      'call_result',
      'call_started',
      'call_result',
      'assistant_message',
      'run_ended',
    ]);
  });

  it('runs a dangerous call only after it was approved', async () => {
    const edit = probe('edit');
    const { run, events } = startRun(store, one('edit'), [edit.tool]);
    await waitForRequests(store);
    expect(edit.ran).toEqual([]);
    await answer({ type: 'approve', remember: null });
    expect(await run.ended).toBe('completed');
    expect(edit.ran).toHaveLength(1);
    expect(of(events(), 'call_started')[0]).toMatchObject({ allowedBy: 'operator' });
  });

  it('tells the model of a refusal in the fixed words, with the operator’s own, and runs nothing', async () => {
    const edit = probe('edit');
    const { run, events } = startRun(store, one('edit'), [edit.tool]);
    await answer({ type: 'decline', reason: 'not on a Friday' });
    await run.ended;
    const [denied] = of(events(), 'tool_denied');
    expect(denied?.outcome).toBe('declined');
    expect(denied?.reason).toMatch(
      /^Denied: the operator declined edit\. .*final.*do not retry.*work around.*not on a Friday$/,
    );
    expect(edit.ran).toEqual([]);
  });

  it('lets what nobody answers expire, and never calls that a decision', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const edit = probe('edit');
    const { run, events } = startRun(store, one('edit'), [edit.tool], { settings: { approvalTimeoutMs: 5_000 } });
    await vi.waitFor(() => expect(store.inbox.open()).toHaveLength(1));
    await vi.advanceTimersByTimeAsync(5_000);
    await run.ended;
    const [denied] = of(events(), 'tool_denied');
    expect(denied).toMatchObject({ outcome: 'expired' });
    expect(denied?.reason).toMatch(/nobody answered .* within the limit of 5 s/);
    expect(denied?.reason).not.toMatch(/operator declined/);
    expect(edit.ran).toEqual([]);
  });

  it.each([
    [
      'readonly mode',
      { settings: { mode: 'readonly' as const } },
      'readonly',
      /^Denied: edit can change state and this run is in readonly mode/,
    ],
    [
      'no operator',
      { operator: false },
      'no-operator',
      /^Denied: edit needs approval and no approver is wired to this run/,
    ],
  ])('denies without asking: %s', async (_name, options, outcome, words) => {
    const edit = probe('edit');
    const { run, events } = startRun(store, one('edit'), [edit.tool], options);
    expect(await run.ended).toBe('completed');
    expect(of(events(), 'tool_denied')).toMatchObject([{ outcome, reason: expect.stringMatching(words) }]);
    expect(of(events(), 'request_opened')).toEqual([]);
    expect(edit.ran).toEqual([]);
  });

  it('gives an unknown tool and wrong arguments an error result, and asks nobody', async () => {
    const edit = probe('edit');
    const turns = [{ calls: [call('nothing'), call('edit', { wrong: 1 })] }, { say: 'Done.' }];
    const { run, events } = startRun(store, turns, [edit.tool]);
    await run.ended;
    expect(of(events(), 'call_result')).toMatchObject([
      { isError: true, content: expect.stringMatching(/no tool named "nothing".*edit/) },
      { isError: true, content: 'the arguments are wrong' },
    ]);
    expect(of(events(), 'request_opened')).toEqual([]);
  });

  it('asks nobody about a call that is too long to be read', async () => {
    const edit = probe('edit');
    const { run, events } = startRun(store, one('edit', { text: 'x'.repeat(131_072) }), [edit.tool]);
    await run.ended;
    expect(of(events(), 'call_result')).toMatchObject([
      { isError: true, content: expect.stringMatching(/can be shown/) },
    ]);
    expect(edit.ran).toEqual([]);
  });

  it('asks anew, saying what changed, when what was approved is not what would run', async () => {
    const edit = probe('edit');
    edit.bound['deploy.sh'] = 'before';
    const { run } = startRun(store, one('edit'), [edit.tool]);
    const [first] = await waitForRequests(store);
    edit.bound['deploy.sh'] = 'after';
    await answer({ type: 'approve', remember: null });
    await vi.waitFor(() => expect(store.inbox.open()[0]?.id).not.toBe(first?.id));
    const [second] = await waitForRequests(store);
    expect(second).toMatchObject({ kind: 'approval', changed: expect.stringMatching(/deploy\.sh/) });
    expect(second?.digest).not.toBe(first?.digest);
    expect(edit.ran).toEqual([]);
    await answer({ type: 'approve', remember: null });
    await run.ended;
    expect(edit.ran).toHaveLength(1);
  });

  it('does not ask again for what was remembered, and asks after it was revoked', async () => {
    const edit = probe('edit');
    const turns = [
      { calls: [call('edit', { n: 1 }), call('edit', { n: 2 }), call('edit', { n: 3 })] },
      { say: 'Done.' },
    ];
    const second = probe('second', { dangerous: false });
    const { run, ref, events } = startRun(
      store,
      [turns[0], { calls: [call('second'), call('edit', { n: 4 })] }, turns[1]],
      [
        edit.tool,
        {
          ...second.tool,
          prepare: async (text, context) => {
            const [grant] = store.grants.list(ref.sessionId, 'agent-1');
            if (grant !== undefined) store.grants.revoke(grant.id, 'operator');
            return second.tool.prepare(text, context);
          },
        },
      ],
    );
    await answer({ type: 'approve', remember: 'session' });
    await vi.waitFor(() => expect(edit.ran).toHaveLength(3));
    const [again] = await waitForRequests(store);
    expect(again?.tool).toBe('edit');
    expect(of(events(), 'call_started').map(({ allowedBy }) => allowedBy)).toEqual([
      'operator',
      'grant',
      'grant',
      'ungated',
    ]);
    expect(store.grants.list(ref.sessionId, 'agent-1')).toMatchObject([{ uses: 2 }]);
    run.stop();
    expect(await run.ended).toBe('stopped');
    expect(edit.ran).toHaveLength(3);
  });

  it('settles its request as stopped when it is stopped, and denies the calls that had not started', async () => {
    const edit = probe('edit');
    const { run, events } = startRun(store, [{ calls: [call('edit', { n: 1 }), call('edit', { n: 2 })] }], [edit.tool]);
    await waitForRequests(store);
    run.stop();
    expect(await run.ended).toBe('stopped');
    expect(of(events(), 'request_settled')).toMatchObject([{ settlement: { outcome: 'stopped', by: 'run' } }]);
    expect(of(events(), 'tool_denied').map(({ outcome }) => outcome)).toEqual(['stopped', 'stopped']);
    expect(edit.ran).toEqual([]);
  });

  it('records no decision when the app closes under a request, and asks the same again on resume', async () => {
    const edit = probe('edit');
    const turns = one('edit', { n: 1 });
    const { run, ref, events } = startRun(store, turns, [edit.tool]);
    const [first] = await waitForRequests(store);
    run.interrupt();
    expect(await run.ended).toBe('interrupted');
    expect(of(events(), 'tool_denied')).toEqual([]);
    expect(of(events(), 'request_settled')).toMatchObject([{ settlement: { outcome: 'interrupted', by: 'app' } }]);
    expect(edit.ran).toEqual([]);

    const resumed = startRun(store, turns, [edit.tool], { ref: { ...ref, runId: RunId.parse(randomUUID()) } });
    const [second] = await waitForRequests(store);
    expect(second).toMatchObject({ callId: first?.callId, digest: first?.digest });
    await answer({ type: 'approve', remember: null });
    expect(await resumed.run.ended).toBe('completed');
    expect(edit.ran).toEqual(['{"n":1}']);
  });

  it('ends on record what a crash left, and puts a call that may have run to the operator', async () => {
    let began: (() => void) | undefined;
    const running = new Promise<void>((resolve) => {
      began = resolve;
    });
    const crash = probe('edit', {
      run: () => {
        began?.();
        return new Promise(() => {});
      },
    });
    const { ref } = startRun(store, one('edit'), [crash.tool]);
    await answer({ type: 'approve', remember: null });
    await running;
    // As after a kill -9: nothing of the run was told that it ended.
    expect(recoverInterrupted(store.reader, store.journal, store.inbox)).toBe(1);
    expect(store.reader.session(ref.sessionId)).toMatchObject({ state: 'interrupted', openRequests: 0 });

    const edit = probe('edit');
    const next = { ...ref, runId: RunId.parse(randomUUID()) };
    const { run, events } = startRun(store, one('edit'), [edit.tool], { ref: next });
    const [request] = await waitForRequests(store);
    expect(request).toMatchObject({ kind: 'question', question: expect.stringMatching(/may already have run/) });
    if (request?.kind !== 'question') throw new Error('no question');
    store.inbox.answer(request.id, request.digest, { type: 'select', selected: 0 });
    expect(await run.ended).toBe('completed');
    expect(edit.ran).toEqual([]);
    expect(of(events(), 'call_result').at(-1)).toMatchObject({
      isError: true,
      content: expect.stringMatching(/chose not to run it again/),
    });
  });

  it('runs no call of a reply that was cut off at the output limit', async () => {
    const look = probe('look', { dangerous: false });
    const { run, events } = startRun(store, [{ calls: [call('look')], stop: 'max_tokens' }], [look.tool]);
    expect(await run.ended).toBe('failed');
    expect(look.ran).toEqual([]);
    expect(of(events(), 'run_ended')[0]?.reason).toMatch(/cut off at the output limit of 8192 tokens/);
    expect(of(events(), 'call_result')).toMatchObject([{ isError: true, content: expect.stringMatching(/never ran/) }]);
  });

  it('warns the model after three identical turns and ends after five', async () => {
    const look = probe('look', { dangerous: false });
    const { run, events } = startRun(store, Array(9).fill({ calls: [call('look')] }), [look.tool]);
    expect(await run.ended).toBe('failed');
    expect(look.ran).toHaveLength(4);
    expect(of(events(), 'notice')).toMatchObject([{ forModel: true, text: expect.stringMatching(/three times/) }]);
    expect(of(events(), 'run_ended')[0]?.reason).toMatch(/five times/);
  });

  it('stops for its turn limit before the tools of the last turn, and delivers a final answer at the limit', async () => {
    const look = probe('look', { dangerous: false });
    const limits = { maxTurns: 2 };
    const busy = startRun(
      store,
      [{ calls: [call('look', { n: 1 })] }, { calls: [call('look', { n: 2 })] }],
      [look.tool],
      { settings: { limits } },
    );
    expect(await busy.run.ended).toBe('budget');
    expect(look.ran).toEqual(['{"n":1}']);
    expect(of(busy.events(), 'run_ended')[0]?.reason).toMatch(/limit of 2 turns/);
    const brief = startRun(store, one('look'), [look.tool], { settings: { limits } });
    expect(await brief.run.ended).toBe('completed');
  });

  it('reads what the operator says at the next turn, and does not end before it was read', async () => {
    const look = probe('look', {
      dangerous: false,
      run: async () => {
        run.say('and the tests, please');
        return 'ok';
      },
    });
    const turns = [{ calls: [call('look')] }, { say: 'Heard: {{reason}}' }];
    const { run, events } = startRun(store, turns, [look.tool]);
    expect(await run.ended).toBe('completed');
    expect(of(events(), 'user_message').map(({ text }) => text)).toEqual(['Do something', 'and the tests, please']);
  });

  it.each([
    ['auto', true],
    ['readonly', false],
  ] as const)('answers a tool’s own question in %s mode without asking: %s', async (mode, expected) => {
    const tool = probe('tool', { dangerous: false, run: async ({ confirm }) => String(await confirm('Go on?')) });
    const { run, events } = startRun(store, one('tool'), [tool.tool], { settings: { mode } });
    await run.ended;
    expect(of(events(), 'call_result')[0]?.content).toBe(String(expected));
    expect(of(events(), 'request_opened')).toEqual([]);
  });

  it('puts a tool’s own question to the operator as "confirm", and does not count the waiting as the tool’s time', async () => {
    const tool = probe('tool', { dangerous: false, run: async ({ confirm }) => String(await confirm('Go on?')) });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
    const limits = { toolTimeoutMs: 1_000 };
    const { run, events } = startRun(store, one('tool'), [tool.tool], { settings: { limits } });
    await vi.waitFor(() => expect(store.inbox.open()).toHaveLength(1));
    await vi.advanceTimersByTimeAsync(30_000);
    const [request] = store.inbox.open();
    if (request === undefined) throw new Error('it did not wait');
    expect(request).toMatchObject({ kind: 'question', tool: 'confirm', question: 'Go on?' });
    store.inbox.answer(request.id, request.digest, { type: 'confirm', confirmed: true });
    await vi.waitFor(() => expect(of(events(), 'call_result')[0]?.content).toBe('true'));
    vi.useRealTimers();
    await run.ended;
  });

  it('takes secrets out of live output and result, and shows the original only while the command runs', async () => {
    const key = ['sk', 'secret', 'value', '42'].join('-');
    let seen: string | null = null;
    const tool = probe('tool', {
      dangerous: false,
      run: async ({ onOutput }) => {
        onOutput(`the key is ${key.slice(0, 6)}`, 17);
        onOutput(`${key.slice(6)}\n`, 17 + key.length);
        seen = originals.read(ref.sessionId, CallId.parse('call_1_1'));
        return JSON.stringify({ output: `key: ${key}` });
      },
    });
    const secrets = [{ name: 'the app key', value: key }];
    const { run, ref, events, originals } = startRun(store, one('tool'), [tool.tool], { secrets });
    await run.ended;
    expect(seen).toBe(`the key is ${key}\n`);
    expect(originals.read(ref.sessionId, CallId.parse('call_1_1'))).toBeNull();
    expect(JSON.stringify(events())).not.toContain(key);
    expect(
      of(events(), 'call_output')
        .map(({ text }) => text)
        .join(''),
    ).toMatch(/^the key is ⟦removed: the app key, 18 characters⟧\n$/);
    const [result] = of(events(), 'call_result');
    expect(JSON.parse(result?.content ?? '').output).toMatch(/^key: ⟦removed: .*18 characters⟧$/);
  });

  it('ends a call that takes longer than its time, and goes on', async () => {
    const slow = probe('slow', {
      dangerous: false,
      run: ({ signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    const { run, events } = startRun(store, one('slow'), [slow.tool], { settings: { limits: { toolTimeoutMs: 20 } } });
    expect(await run.ended).toBe('completed');
    expect(of(events(), 'call_result')).toMatchObject([
      { isError: true, content: 'This call was ended: it timed out after 0.02 s.' },
    ]);
  });
});
