import { expect, test } from 'vitest';
import { failure, message, say, text, thinking, toolCall } from '../../support/messages-server';
import { serverForEachTest } from './anthropic-harness';

/** The test server itself: it must refuse what the API refuses, or the tests that use it prove nothing. */

const server = serverForEachTest();

async function post(body: unknown, headers: Record<string, string> = {}): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${server.current.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'k', 'anthropic-version': '2023-06-01', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const use = (id: string) => ({ type: 'tool_use', id, name: 'x', input: {} });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
const ask = (...messages: readonly unknown[]) => ({ model: 'm', max_tokens: 10, messages });

const refused: readonly (readonly [string, unknown, RegExp])[] = [
  ['an unknown key', { ...ask(user('x')), colour: 'red' }, /^colour: Extra inputs are not permitted$/],
  ['no model', { max_tokens: 10, messages: [user('x')] }, /^model: /],
  ['no messages', ask(), /^messages: /],
  ['an assistant first', ask(assistant('x')), /first message must use the "user" role/],
  ['two users in a row', ask(user('x'), user('y')), /roles must alternate/],
  ['an assistant last', ask(user('x'), assistant('y')), /prefill/],
  ['blank text', ask(user([{ type: 'text', text: ' ' }])), /non-whitespace/],
  [
    'a call without its result',
    ask(user('x'), assistant([use('a')]), user('y')),
    /without `tool_result` blocks.*: a\./,
  ],
  ['a result without its call', ask(user('x'), assistant('y'), user([result('a')])), /unexpected `tool_use_id`.*: a\./],
  [
    'a result after text',
    ask(user('x'), assistant([use('a')]), user([{ type: 'text', text: 'y' }, result('a')])),
    /must come first/,
  ],
  ['two results for a call', ask(user('x'), assistant([use('a')]), user([result('a'), result('a')])), /single result/],
  [
    'an id used twice',
    ask(user('x'), assistant([use('a')]), user([result('a')]), assistant([use('a')]), user([result('a')])),
    /ids must be unique/,
  ],
  ['a call of the user', ask(user([use('a')])), /cannot hold tool_use/],
  [
    'arguments that are no object',
    ask(user('x'), assistant([{ ...use('a'), input: 'text' }]), user([result('a')])),
    /^messages\.1\.content/,
  ],
  [
    'a schema that is no object',
    { ...ask(user('x')), tools: [{ name: 'x', input_schema: { type: 'string' } }] },
    /^tools\.0/,
  ],
  [
    'two tools of a name',
    {
      ...ask(user('x')),
      tools: [
        { name: 'x', input_schema: { type: 'object' } },
        { name: 'x', input_schema: { type: 'object' } },
      ],
    },
    /must be unique/,
  ],
  [
    'too large a budget for thinking',
    { ...ask(user('x')), max_tokens: 2_000, thinking: { type: 'enabled', budget_tokens: 2_000 } },
    /must be greater/,
  ],
];

test.each(refused)('%s is refused as the API refuses it', async (_, body, expected) => {
  const { status, body: said } = await post(body);
  expect(status).toBe(400);
  expect(said).toMatchObject({
    type: 'error',
    error: { type: 'invalid_request_error', message: expect.stringMatching(expected) },
  });
  expect(server.current.requests).toHaveLength(0);
  expect(server.current.complaints).toHaveLength(1);
});

test('thinking that was changed is refused', async () => {
  server.current.enqueue(message([thinking('sig', 'one', ' two'), text('x')]));
  await post(ask(user('x')));
  const replay = (words: string) =>
    ask(user('x'), assistant([{ type: 'thinking', thinking: words, signature: 'sig' }]), user('y'));
  expect((await post(replay('one two'))).status).toBe(200);
  expect((await post(replay('one three'))).status).toBe(400);
});

test('a request without a key, and one without a version, is refused', async () => {
  expect((await post(ask(user('x')), { 'x-api-key': '' })).status).toBe(401);
  expect((await post(ask(user('x')), { 'anthropic-version': '' })).status).toBe(400);
});

test('without streaming the same reply comes in one piece', async () => {
  server.current.enqueue(message([text('On', 'e.'), toolCall('toolu_1', 'x', '{"a"', ':1}')], { usage: { input: 7 } }));
  expect((await post(ask(user('x')))).body).toMatchObject({
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      { type: 'text', text: 'One.' },
      { type: 'tool_use', id: 'toolu_1', name: 'x', input: { a: 1 } },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 7, output_tokens: 20 },
  });
});

test('queued replies come first, then the handler answers each request by what it says', async () => {
  server.current.enqueue(failure(529, 'busy'));
  server.current.respond(({ body }) => say(`asked of ${body.model}`));
  expect((await post(ask(user('x')))).status).toBe(529);
  expect((await post(ask(user('x')))).body).toMatchObject({ content: [{ text: 'asked of m' }] });
  expect((await server.current.waitForRequest(2)).body.max_tokens).toBe(10);
});
