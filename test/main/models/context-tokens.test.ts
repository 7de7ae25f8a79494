import { expect, test } from 'vitest';
import { silence } from '../../support/messages-server';
import { ask, model, serverForEachTest } from './anthropic-harness';

const server = serverForEachTest();
const NEVER = new AbortController().signal;

test.each([
  ['what the API says', 1_000_000, 1_000_000],
  ['a safe guess where it does not say', null, 200_000],
])('a model takes in %s', async (_name, said, tokens) => {
  server.current.models.set('claude-sonnet-4-6', said);
  expect(await model(server.current).contextTokens(NEVER)).toBe(tokens);
  expect(server.current.askedModels).toEqual(['claude-sonnet-4-6']);
  expect(server.current.complaints).toEqual([]);
});

test('a server that knows no such question leaves the safe guess, and is asked once', async () => {
  expect(await model(server.current).contextTokens(NEVER)).toBe(200_000);
  expect(server.current.askedModels).toHaveLength(1);
});

test('stopping ends the asking', async () => {
  server.current.respond(() => silence);
  const stop = new AbortController();
  const reason = new Error('stopped');
  const asked = model(server.current).contextTokens(stop.signal);
  stop.abort(reason);
  await expect(asked).rejects.toBe(reason);
});

test('what a reply says of the length of the conversation is that of the attempt that came whole', async () => {
  const { reply } = ask(model(server.current));
  expect((await reply).conversationTokens).toBe(120);
});
