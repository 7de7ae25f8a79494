import { expect, test } from 'vitest';
import {
  cutAfter,
  errorAfter,
  failure,
  gate,
  message,
  rawAfter,
  say,
  silence,
  stallAfter,
  text,
  withoutMessageStop,
} from '../../support/messages-server';
import { ask, model, request, serverForEachTest } from './anthropic-harness';

const server = serverForEachTest();

test('a rate limit and an overload are asked again, and the operator is told', async () => {
  server.current.enqueue(failure(429, 'slow down'), failure(529, 'overloaded'), say('Here.'));
  const { progress, reply } = ask(model(server.current));
  expect((await reply).blocks).toEqual([{ type: 'text', text: 'Here.' }]);
  expect(progress).toEqual([
    { type: 'attempt', attempt: 1 },
    { type: 'retry', attempt: 1, reason: '429 rate limited' },
    { type: 'attempt', attempt: 2 },
    { type: 'retry', attempt: 2, reason: '529 overloaded' },
    { type: 'attempt', attempt: 3 },
    { type: 'delta', kind: 'text', text: 'Here.' },
  ]);
});

const broken = [
  ['whose connection is cut', (reply: ReturnType<typeof say>) => cutAfter(3, reply), 'the connection was lost'],
  [
    'with an overload in its middle',
    (reply: ReturnType<typeof say>) => errorAfter(3, 'overloaded_error', 'Overloaded', reply),
    'the API is overloaded',
  ],
  [
    'with an error in its middle',
    (reply: ReturnType<typeof say>) => errorAfter(3, 'api_error', 'Internal', reply),
    'the API failed',
  ],
  ['without its end', withoutMessageStop, 'the stream ended too early'],
  [
    'with a line that is no JSON',
    (reply: ReturnType<typeof say>) => rawAfter(3, 'event: content_block_delta\ndata: {"type":\n\n', reply),
    'the stream was malformed',
  ],
  [
    'with an event of the wrong form',
    (reply: ReturnType<typeof say>) =>
      rawAfter(3, 'event: content_block_delta\ndata: {"type":"content_block_delta","index":"x"}\n\n', reply),
    'the stream was malformed',
  ],
] as const;

test.each(broken)('a reply %s is asked for again as a whole, and nothing counts twice', async (_, breaking, reason) => {
  server.current.enqueue(breaking(message([text('Half')], { usage: { input: 10, output: 5 } })), say('Half and half.'));
  const { progress, reply } = ask(model(server.current));
  const { blocks, usage } = await reply;
  expect(blocks).toEqual([{ type: 'text', text: 'Half and half.' }]);
  const retry = progress.findIndex((one) => one.type === 'retry');
  expect(progress.slice(retry)).toEqual([
    { type: 'retry', attempt: 1, reason },
    { type: 'attempt', attempt: 2 },
    { type: 'delta', kind: 'text', text: 'Half and half.' },
  ]);
  // What the broken attempt used up was used up all the same.
  expect(usage.input).toBe(110);
});

test('each attempt is priced by itself', async () => {
  const usage = { input: 60_000, output: 0 };
  server.current.enqueue(withoutMessageStop(message([text('x')], { usage })), message([text('x')], { usage }));
  const reply = await ask(model(server.current, { model: 'claude-haiku-5-5' })).reply;
  expect(reply.usage.input).toBe(120_000);
  expect(reply.usage.costUsd).toBeCloseTo((120_000 * 0.1) / 1e6, 12);
});

test('an error in mid-stream that would come again is told at once', async () => {
  server.current.enqueue(errorAfter(3, 'invalid_request_error', 'this cannot be done', say('Half')));
  const { reply } = ask(model(server.current));
  await expect(reply).rejects.toThrow('the API broke the reply off: this cannot be done');
  expect(server.current.requests).toHaveLength(1);
});

test('a reply that stalls is given up and asked for again', async () => {
  server.current.enqueue(stallAfter(3, say('Half')), say('Whole.'));
  const { progress, reply } = ask(model(server.current), request({ timeoutMs: 1_500 }));
  expect((await reply).blocks).toEqual([{ type: 'text', text: 'Whole.' }]);
  expect(progress).toContainEqual({ type: 'retry', attempt: 1, reason: 'nothing more came within 1.5 s' });
});

test('a server that never answers is given up and asked again', async () => {
  server.current.enqueue(silence, say('Whole.'));
  const { reply } = ask(model(server.current), request({ timeoutMs: 1_500 }));
  expect((await reply).blocks).toEqual([{ type: 'text', text: 'Whole.' }]);
});

test('a reply that breaks off three times fails', async () => {
  const half = cutAfter(3, say('Half'));
  server.current.enqueue(half, half, half, say('never asked for'));
  const { progress, reply } = ask(model(server.current));
  await expect(reply).rejects.toThrow('the reply broke off 3 times, the last time because the connection was lost');
  expect(server.current.requests).toHaveLength(3);
  expect(progress.filter((one) => one.type === 'retry')).toHaveLength(2);
});

test('before a broken reply is asked for again, there is a pause that grows', async () => {
  const half = cutAfter(3, say('Half'));
  server.current.enqueue(half, half, say('Whole.'));
  const breaks: number[] = [];
  const patient = model(server.current, {
    backoffMs: (count) => {
      breaks.push(count);
      return 0;
    },
  });
  await ask(patient).reply;
  expect(breaks).toEqual([1, 2]);
});

test('stopping closes the connection at once and gives the reason', async () => {
  const held = gate();
  server.current.enqueue(say('One', held, 'two'));
  const stop = new AbortController();
  const { progress, reply } = ask(model(server.current), request(), stop.signal);
  await held.reached;
  const reason = new Error('stopped by the operator');
  stop.abort(reason);
  await expect(reply).rejects.toBe(reason);
  await (await server.current.waitForRequest(1)).closed;
  expect(progress.some((one) => one.type === 'retry')).toBe(false);
  expect(server.current.requests).toHaveLength(1);
});

test('stopping ends the wait before another attempt', async () => {
  server.current.enqueue(failure(529, 'overloaded', { 'retry-after-ms': '30000' }));
  const stop = new AbortController();
  const retried = new Promise<void>((resolve) => {
    const { reply } = ask(model(server.current), request(), stop.signal);
    void reply.catch(() => resolve());
    void server.current.waitForRequest(1).then(({ closed }) => closed.then(() => stop.abort(new Error('stop'))));
  });
  await retried;
  expect(server.current.requests).toHaveLength(1);
});

test('a model that was stopped before it was asked is not asked', async () => {
  const reason = new Error('stopped');
  const { reply } = ask(model(server.current), request(), AbortSignal.abort(reason));
  await expect(reply).rejects.toBe(reason);
  expect(server.current.requests).toHaveLength(0);
});
