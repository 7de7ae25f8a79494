import { expect, test } from 'vitest';
import { ModelError, PromptTooLong } from '../../../src/main/models/model';
import { cutAfter, failure, MessagesServer, message, text } from '../../support/messages-server';
import { ask, KEY, model, request, serverForEachTest } from './anthropic-harness';

const server = serverForEachTest();

const failures = [
  [400, 'temperature: too hot', 'the API refused the request (400): temperature: too hot'],
  [401, 'invalid x-api-key', 'the key was refused (401): check the API key in Settings'],
  [403, 'no permission', 'the key was refused (403): check the API key in Settings'],
] as const;

test.each(failures)('a %i is told in words, and not asked again', async (status, words, expected) => {
  server.current.respond(() => failure(status, words));
  const { reply } = ask(model(server.current));
  await expect(reply).rejects.toThrow(new ModelError(expected));
  expect(server.current.requests).toHaveLength(1);
});

const tooLong = [
  [400, 'prompt is too long: 208310 tokens > 200000 maximum'],
  [400, 'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000'],
  [400, "This model's maximum context length is 32768 tokens"],
  [413, 'Request exceeds the maximum size'],
] as const;

test.each(tooLong)('a %i that says that it is too long is told from others: %s', async (status, words) => {
  server.current.respond(() => failure(status, words));
  const { reply } = ask(model(server.current));
  await expect(reply).rejects.toThrow(
    new PromptTooLong(`the conversation is too long for claude-sonnet-4-6 (${status}): ${words}`),
  );
  expect(server.current.requests).toHaveLength(1);
});

test('a reply that was cut off where the context ends is one that was too long, and says what it cost', async () => {
  const usage = { input: 199_000, output: 1_000 };
  server.current.enqueue(message([text('As I was say')], { stopReason: 'model_context_window_exceeded', usage }));
  const { reply } = ask(model(server.current));
  await expect(reply).rejects.toMatchObject({
    name: 'PromptTooLong',
    usage: { ...usage, costUsd: (199_000 * 3 + 1_000 * 15) / 1_000_000 },
  });
});

test('what broken replies cost is told with the failure', async () => {
  const half = cutAfter(3, message([text('Half')], { usage: { input: 1_000 } }));
  server.current.enqueue(half, half, half);
  await expect(ask(model(server.current)).reply).rejects.toMatchObject({ usage: { input: 3_000, output: 3 } });
});

test('an unknown model is named', async () => {
  server.current.respond(() => failure(404, 'model: claude-nonesuch'));
  const { reply } = ask(model(server.current, { model: 'claude-nonesuch' }));
  await expect(reply).rejects.toThrow(
    /^no model "claude-nonesuch" at 127\.0\.0\.1:\d+ \(404\): check its name in the agent file or in Settings$/,
  );
});

const persistent = [
  [429, /^the API's rate limit is reached \(429, asked 4 times\): wait a little, then resume$/],
  [500, /^the API failed \(500, asked 4 times\): it broke: wait a little, then resume$/],
  [529, /^the API is overloaded \(529, asked 4 times\): wait a little, then resume$/],
] as const;

test.each(persistent)('a %i that stays is told after the last attempt', async (status, expected) => {
  server.current.respond(() => failure(status, 'it broke'));
  const { progress, reply } = ask(model(server.current));
  await expect(reply).rejects.toThrow(expected);
  expect(progress.filter((one) => one.type === 'retry')).toHaveLength(3);
});

test('an API that wants to be left alone for very long is not waited for', async () => {
  server.current.respond(() => failure(429, 'come back later', { 'retry-after-ms': '', 'retry-after': '3600' }));
  const { progress, reply } = ask(model(server.current));
  await expect(reply).rejects.toThrow('(429, asked once): wait 3600 s, then resume');
  expect(progress).toEqual([{ type: 'attempt', attempt: 1 }]);
});

test('no network is told with the host', async () => {
  const gone = await MessagesServer.start();
  await gone.close();
  const { reply } = ask(model(gone, { maxRetries: 0 }));
  await expect(reply).rejects.toThrow(
    /^no connection \(ECONNREFUSED\) to 127\.0\.0\.1:\d+ \(asked once\): check the network, then resume$/,
  );
});

test('without a key nothing is sent', async () => {
  const { reply } = ask(model(server.current, { apiKey: null }));
  await expect(reply).rejects.toThrow('there is no API key: add one in Settings');
  expect(server.current.requests).toHaveLength(0);
});

test('an address that is none is told', async () => {
  const { reply } = ask(model(server.current, { baseUrl: 'localhost' }));
  await expect(reply).rejects.toThrow('"localhost" is not the address of a server: check ANTHROPIC_BASE_URL');
});

test('the key never stands in a message, even where the server repeats it', async () => {
  server.current.respond(() => failure(400, `bad key ${KEY}`));
  const { reply } = ask(model(server.current));
  await expect(reply).rejects.toThrow('the API refused the request (400): bad key [the key]');
});

test('thinking without room for it is told before anything is sent', async () => {
  const { reply } = ask(
    model(server.current, { model: 'claude-haiku-4-5' }),
    request({ thinking: true, maxOutputTokens: 1_024 }),
  );
  await expect(reply).rejects.toThrow('thinking needs limits.maxOutputTokens above 1024: raise it');
  expect(server.current.requests).toHaveLength(0);
});
