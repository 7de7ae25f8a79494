import { CallId } from '@shared/ids';
import { describe, expect, test } from 'vitest';
import type { ConversationMessage, ToolDefinition } from '../../../src/main/models/model';
import { toolSearch } from '../../../src/main/models/tool-search';
import { failedToolSearch, message, say, toolSearch as searched, text, toolCall } from '../../support/messages-server';
import { ask, model, request, serverForEachTest } from './anthropic-harness';

const server = serverForEachTest();

const tool = (name: string, deferrable = true): ToolDefinition => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
  deferrable,
});
const many = (count: number) => Array.from({ length: count }, (_, index) => tool(`tool_${index}`));
const tools = [tool('read_file', false), ...many(10)];

describe('whether a model searches for its tools', () => {
  test.each([
    ['nine tools are sent', 'claude-sonnet-4-5', many(9), 0],
    ['from ten on they are searched for', 'claude-sonnet-4-5', many(10), 10],
    ['built-in ones and those that say so are not', 'claude-opus-4-6', [...many(9), tool('read_file', false)], 9],
    ['ten that may not be deferred are sent', 'claude-opus-4-6', many(10).map(({ name }) => tool(name, false)), 0],
    ['a model before tool search gets all of them', 'claude-opus-4-1-20250805', many(12), 0],
    ['a Claude of the third generation too', 'claude-3-5-sonnet-latest', many(12), 0],
    ['a newer Claude is taken to have it', 'claude-opus-9', many(12), 12],
    ['another server’s model is not', 'qwen3-coder', many(12), 0],
  ])('%s', (_rule, name, offered, count) => {
    const { on, deferred, why } = toolSearch('anthropic', name, offered);
    expect([on, deferred.size]).toEqual([count > 0, count]);
    expect(why).toContain(count > 0 ? `${count} of ${offered.length}` : String(offered.length));
  });

  test('a scripted agent does not', () => {
    expect(toolSearch('scripted', 'scripted', many(20)).on).toBe(false);
  });
});

describe('a request', () => {
  test('defers the tools behind the search, which comes first and is not deferred', async () => {
    await ask(model(server.current), request({ tools })).reply;
    expect(server.current.complaints).toEqual([]);
    const sent = server.current.requests[0]?.body.tools ?? [];
    expect(sent.map((one) => [one.name, 'defer_loading' in one ? one.defer_loading : undefined])).toEqual([
      ['tool_search_tool_bm25', undefined],
      ['read_file', undefined],
      ...many(10).map(({ name }) => [name, true]),
    ]);
  });

  test('without instructions marks for the cache the last tool that is not deferred', async () => {
    await ask(model(server.current), request({ system: '', tools })).reply;
    await ask(model(server.current), request({ system: '', tools: many(11) })).reply;
    expect(server.current.complaints).toEqual([]);
    const marked = server.current.requests.map(({ body }) =>
      body.tools?.filter((one) => one.cache_control != null).map(({ name }) => name),
    );
    expect(marked).toEqual([['read_file'], ['tool_search_tool_bm25']]);
  });

  test('with few tools is as it always was', async () => {
    await ask(model(server.current), request({ tools: many(3) })).reply;
    expect(server.current.requests[0]?.body.tools).toEqual(
      many(3).map(({ name, description }) => ({ name, description, input_schema: { type: 'object' } })),
    );
  });
});

describe('a search of the model’s', () => {
  async function searchAndCall() {
    server.current.enqueue(
      message([text('I look.'), ...searched('srvtoolu_1', 'do "three"', 'tool_3'), toolCall('call_1', 'tool_3', '{}')]),
      say('Done.'),
    );
    return ask(model(server.current), request({ tools })).reply;
  }
  const answered = (blocks: Extract<ConversationMessage, { role: 'assistant' }>['blocks']): ConversationMessage[] => [
    { role: 'user', text: 'Hello' },
    { role: 'assistant', blocks },
    { role: 'results', results: [{ callId: CallId.parse('call_1'), content: 'ok', isError: false }] },
  ];

  test('is kept in the reply as the provider’s own, and only what is called is a call', async () => {
    const { blocks, stopReason } = await searchAndCall();
    expect(stopReason).toBe('tool_use');
    expect(blocks.map(({ type }) => type)).toEqual(['text', 'provider', 'provider', 'tool_use']);
    expect(blocks[1]).toEqual({
      type: 'provider',
      data: {
        type: 'server_tool_use',
        id: 'srvtoolu_1',
        name: 'tool_search_tool_bm25',
        input: { query: 'do "three"' },
      },
    });
  });

  test('is sent back with the results, unchanged and in its place', async () => {
    const { blocks } = await searchAndCall();
    await ask(model(server.current), request({ tools, messages: answered(blocks) })).reply;
    expect(server.current.complaints).toEqual([]);
    const [, assistant] = server.current.requests[1]?.body.messages ?? [];
    expect(assistant?.content).toMatchObject([
      { type: 'text' },
      { type: 'server_tool_use', id: 'srvtoolu_1', input: { query: 'do "three"' } },
      {
        type: 'tool_search_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: {
          type: 'tool_search_tool_search_result',
          tool_references: [{ type: 'tool_reference', tool_name: 'tool_3' }],
        },
      },
      { type: 'tool_use', id: 'call_1' },
    ]);
  });

  test.each([
    ['the tool that it found is gone', tools.filter(({ name }) => name !== 'tool_3')],
    ['there are too few tools for a search now', tools.slice(0, 5)],
  ])('is left out where %s', async (_what, now) => {
    const { blocks } = await searchAndCall();
    await ask(model(server.current), request({ tools: now, messages: answered(blocks) })).reply;
    expect(server.current.complaints).toEqual([]);
    const [, assistant] = server.current.requests[1]?.body.messages ?? [];
    expect(assistant?.content).toMatchObject([{ type: 'text' }, { type: 'tool_use' }]);
  });

  test('that the API paused in goes on from what it has sent', async () => {
    server.current.enqueue(
      message([text('I look.'), ...searched('srvtoolu_3', 'x', 'tool_3')], { stopReason: 'pause_turn' }),
      say('Done.'),
    );
    const { blocks, stopReason } = await ask(model(server.current), request({ tools })).reply;
    expect(stopReason).toBe('pause_turn');
    const messages: ConversationMessage[] = [
      { role: 'user', text: 'Hello' },
      { role: 'assistant', blocks },
    ];
    await ask(model(server.current), request({ tools, messages })).reply;
    expect(server.current.complaints).toEqual([]);
  });

  test('that failed is kept and sent back as well', async () => {
    server.current.enqueue(message([...failedToolSearch('srvtoolu_2', 'x'), text('I could not look.')]), say('Done.'));
    const { blocks } = await ask(model(server.current), request({ tools })).reply;
    const messages: ConversationMessage[] = [
      { role: 'user', text: 'Hello' },
      { role: 'assistant', blocks },
      { role: 'user', text: 'Again' },
    ];
    await ask(model(server.current), request({ tools, messages })).reply;
    expect(server.current.complaints).toEqual([]);
  });
});
