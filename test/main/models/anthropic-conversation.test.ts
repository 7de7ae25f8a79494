import { expect, test } from 'vitest';
import { toInstructions, toMessages } from '../../../src/main/models/anthropic-conversation';
import type { ConversationMessage } from '../../../src/main/models/model';
import { message, text, thinking, toolCall } from '../../support/messages-server';
import { ask, callId, model, request, serverForEachTest } from './anthropic-harness';

const server = serverForEachTest();
const cached = { cache_control: { type: 'ephemeral' } };

const call = (id: string, inputText: string) =>
  ({ type: 'tool_use', id: callId(id), name: 'read_file', inputText }) as const;
const result = (id: string, content: string, isError = false) => ({ callId: callId(id), content, isError });

test('a whole conversation with thinking and results is accepted by a strict server', async () => {
  server.current.enqueue(
    message([thinking('sig', 'I need a file.'), text('Reading.'), toolCall('toolu_1', 'read_file', '{"path":"a"}')]),
  );
  const first = await ask(model(server.current), request({ thinking: true })).reply;
  const messages: ConversationMessage[] = [
    { role: 'user', text: 'Hello' },
    { role: 'assistant', blocks: first.blocks },
    { role: 'results', results: [result('toolu_1', 'the content')] },
    { role: 'user', text: 'And quickly.' },
  ];
  await ask(model(server.current), request({ thinking: true, messages })).reply;
  expect(server.current.complaints).toEqual([]);
  expect(server.current.requests[1]?.body.messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'I need a file.', signature: 'sig' },
        { type: 'text', text: 'Reading.' },
        { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'a' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: 'the content' },
        { type: 'text', text: 'And quickly.', ...cached },
      ],
    },
  ]);
});

test.each(['', '{"path": "cut of', '[1]', 'null', '"text"'])('arguments %j go back as an empty object', (inputText) => {
  const [, assistant] = toMessages([
    { role: 'user', text: 'x' },
    { role: 'assistant', blocks: [call('c', inputText)] },
  ]);
  expect(assistant?.content).toMatchObject([{ type: 'tool_use', input: {} }]);
});

test('a call that never got a result is answered for the API', () => {
  const messages = toMessages([
    { role: 'user', text: 'x' },
    { role: 'assistant', blocks: [call('c1', '{}'), call('c2', '{')] },
    { role: 'results', results: [result('c1', 'done')] },
    { role: 'assistant', blocks: [call('c3', '{')] },
    { role: 'user', text: 'go on' },
  ]);
  expect(messages[2]?.content).toEqual([
    { type: 'tool_result', tool_use_id: 'c1', content: 'done' },
    { type: 'tool_result', tool_use_id: 'c2', content: 'This call was never run.', is_error: true },
  ]);
  expect(messages[4]?.content).toEqual([
    { type: 'tool_result', tool_use_id: 'c3', content: 'This call was never run.', is_error: true },
    { type: 'text', text: 'go on', ...cached },
  ]);
});

test('an empty result is sent without content, and an error as one', () => {
  const messages = toMessages([
    { role: 'user', text: 'x' },
    { role: 'assistant', blocks: [call('c1', '{}'), call('c2', '{}')] },
    { role: 'results', results: [result('c1', ''), result('c2', 'no such file', true)] },
  ]);
  expect(messages[2]?.content).toEqual([
    { type: 'tool_result', tool_use_id: 'c1' },
    { type: 'tool_result', tool_use_id: 'c2', content: 'no such file', is_error: true, ...cached },
  ]);
});

test('what the API would refuse is left out: blank text, thinking without a signature, empty messages', () => {
  const messages = toMessages([
    { role: 'user', text: 'one' },
    {
      role: 'assistant',
      blocks: [
        { type: 'text', text: ' \n' },
        { type: 'thinking', text: 'x', signature: '' },
      ],
    },
    { role: 'user', text: 'two' },
  ]);
  expect(messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two', ...cached },
      ],
    },
  ]);
});

test('without a system prompt the tools carry the cache marker', () => {
  const tools = [{ name: 'a', description: 'A.', inputSchema: { type: 'object' } }];
  expect(toInstructions('  ', tools)).toEqual({
    tools: [{ name: 'a', description: 'A.', input_schema: { type: 'object' }, ...cached }],
  });
  expect(toInstructions('', [])).toEqual({});
});
