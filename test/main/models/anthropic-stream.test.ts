import { MAX_TOKENS } from '@shared/events';
import { expect, test } from 'vitest';
import {
  gate,
  message,
  redactedThinking,
  say,
  text,
  thinking,
  toolCall,
  wholeToolCall,
  withPings,
} from '../../support/messages-server';
import { ask, KEY, model, request, serverForEachTest } from './anthropic-harness';

const server = serverForEachTest();

test('text comes in order, piece by piece, while the reply still streams', async () => {
  const held = gate();
  server.current.enqueue(say('One, ', held, 'two, ', 'three.'));
  const { progress, reply } = ask(model(server.current));
  await held.reached;
  await expect
    .poll(() => progress)
    .toEqual([
      { type: 'attempt', attempt: 1 },
      { type: 'delta', kind: 'text', text: 'One, ' },
    ]);
  held.open();
  expect((await reply).blocks).toEqual([{ type: 'text', text: 'One, two, three.' }]);
  expect(progress.slice(2)).toEqual([
    { type: 'delta', kind: 'text', text: 'two, ' },
    { type: 'delta', kind: 'text', text: 'three.' },
  ]);
});

test('arguments are exactly the concatenated pieces, wherever they were cut', async () => {
  const pieces = ['', '{"n": 90071992', '54740993', ', "s":"\\u00', 'e9\\ud83d', '\\ude00", ', ' "e" :1.0e+2 ', '}'];
  server.current.enqueue(message([toolCall('toolu_1', 'edit_file', ...pieces)]));
  const reply = await ask(model(server.current)).reply;
  expect(reply.blocks).toEqual([
    {
      type: 'tool_use',
      id: 'toolu_1',
      name: 'edit_file',
      inputText: '{"n": 9007199254740993, "s":"\\u00e9\\ud83d\\ude00",  "e" :1.0e+2 }',
    },
  ]);
  expect(reply.stopReason).toBe('tool_use');
});

test('a call without any arguments has empty ones', async () => {
  server.current.enqueue(message([toolCall('toolu_1', 'computer_info')]));
  const reply = await ask(model(server.current)).reply;
  expect(reply.blocks).toMatchObject([{ inputText: '' }]);
});

test('arguments that stand in the start of the block are kept', async () => {
  server.current.enqueue(message([wholeToolCall('toolu_1', 'read_file', { path: 'a.txt' })]));
  const reply = await ask(model(server.current)).reply;
  expect(reply.blocks).toMatchObject([{ inputText: '{"path":"a.txt"}' }]);
});

test('thinking, text and several calls keep their order, and thinking its signature', async () => {
  server.current.enqueue(
    message([
      thinking('sig-1', 'Hm', 'mm'),
      redactedThinking('opaque'),
      text('Two things.'),
      toolCall('toolu_1', 'read_file', '{"path":"a"}'),
      toolCall('toolu_2', 'read_file', '{"path":"b"}'),
    ]),
  );
  const { progress, reply } = ask(model(server.current));
  expect((await reply).blocks).toEqual([
    { type: 'thinking', text: 'Hmmm', signature: 'sig-1' },
    { type: 'redacted_thinking', data: 'opaque' },
    { type: 'text', text: 'Two things.' },
    { type: 'tool_use', id: 'toolu_1', name: 'read_file', inputText: '{"path":"a"}' },
    { type: 'tool_use', id: 'toolu_2', name: 'read_file', inputText: '{"path":"b"}' },
  ]);
  expect(progress.filter((one) => one.type === 'delta').map((one) => one.kind)).toEqual([
    'thinking',
    'thinking',
    'text',
  ]);
});

test.each(['end_turn', 'tool_use', 'max_tokens', 'stop_sequence', 'refusal', 'pause_turn'] as const)(
  'the stop reason %s is passed on',
  async (stopReason) => {
    server.current.enqueue(message([text('x')], { stopReason }));
    expect((await ask(model(server.current)).reply).stopReason).toBe(stopReason);
  },
);

test('a reply without a stop reason has stopped for another one', async () => {
  server.current.enqueue(message([text('x')], { stopReason: null }));
  expect((await ask(model(server.current)).reply).stopReason).toBe('other');
});

test('usage counts cached tokens apart and is priced', async () => {
  const usage = { input: 1_000, output: 200, cacheRead: 10_000, cacheWrite: 2_000 };
  server.current.enqueue(message([text('x')], { usage }));
  const reply = await ask(model(server.current)).reply;
  expect(reply.usage).toEqual({ ...usage, costUsd: (1_000 * 3 + 200 * 15 + 10_000 * 0.3 + 2_000 * 3.75) / 1e6 });
});

test('a server that counts more tokens than can be added up is believed up to a bound', async () => {
  server.current.enqueue(message([text('x')], { usage: { input: 9e15, output: 2 } }));
  const { usage, conversationTokens } = await ask(model(server.current)).reply;
  expect(usage).toMatchObject({ input: MAX_TOKENS, output: 2 });
  expect(conversationTokens).toBe(MAX_TOKENS + 2);
});

test('a model without a known price has no cost', async () => {
  const reply = await ask(model(server.current, { model: 'some-local-model' })).reply;
  expect(reply.usage.costUsd).toBeNull();
});

test('pings and unknown kinds of events are ignored', async () => {
  server.current.enqueue(withPings(say('Still here.')));
  expect((await ask(model(server.current)).reply).blocks).toEqual([{ type: 'text', text: 'Still here.' }]);
});

test('what is sent is well-formed: the key, the limits, the tools and one marker for the cache at the end', async () => {
  const tools = [{ name: 'list_dir', description: 'Lists.', inputSchema: { type: 'object', properties: {} } }];
  await ask(model(server.current), request({ tools })).reply;
  const [sent] = server.current.requests;
  expect(sent?.headers.authorization).toBe(`Bearer ${KEY}`);
  expect(sent?.body).toEqual({
    model: 'claude-sonnet-4-6',
    max_tokens: 4_096,
    stream: true,
    system: [{ type: 'text', text: 'You are careful.', cache_control: { type: 'ephemeral' } }],
    tools: [{ name: 'list_dir', description: 'Lists.', input_schema: { type: 'object', properties: {} } }],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello', cache_control: { type: 'ephemeral' } }] }],
  });
  expect(server.current.complaints).toEqual([]);
});

test('nothing is taken from the environment', async () => {
  const variables = {
    ANTHROPIC_API_KEY: 'sk-wrong',
    ANTHROPIC_AUTH_TOKEN: 'wrong-token',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
    ANTHROPIC_CUSTOM_HEADERS: 'X-Api-Key: sk-wrong\nAuthorization: Bearer sk-wrong\nX-Leak: 1',
  };
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
  Object.assign(process.env, variables);
  try {
    await ask(model(server.current)).reply;
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
  const headers = server.current.requests[0]?.headers;
  expect(headers?.authorization).toBe(`Bearer ${KEY}`);
  expect(JSON.stringify(headers)).not.toContain('wrong');
  expect(headers).not.toHaveProperty('x-leak');
});
