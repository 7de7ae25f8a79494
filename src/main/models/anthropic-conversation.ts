import type {
  ContentBlockParam,
  MessageParam,
  TextBlockParam,
  ToolResultBlockParam,
  ToolUnion,
} from '@anthropic-ai/sdk/resources/messages';
import type { AssistantBlock, ToolUseBlock } from '@shared/events';
import { isJson } from '@shared/json';
import { ToolSearchResult } from './anthropic-events';
import type { ConversationMessage, ToolDefinition, ToolResultMessage } from './model';

/** Marks the end of what the API may cache: the instructions with the tools, and the conversation so far. */
const CACHED = { cache_control: { type: 'ephemeral' } } as const;

type Draft = { readonly role: 'user' | 'assistant'; readonly content: ContentBlockParam[] };

/**
 * The arguments as the API wants them back: an object. What the model spelled and is no JSON object, or one that no tool
 * takes because it is nested too deep, becomes `{}`; the result that follows has told the model what was wrong with it.
 */
function inputObject(inputText: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(inputText);
    if (isJson(value) && typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Not JSON, for example cut off by the output limit.
  }
  return {};
}

/** The API refuses text without a visible character, and an assistant's message may hold such a block. */
const isBlank = (text: string): boolean => text.trim() === '';

/** One block of an assistant's message; null for what the API would refuse. */
function assistantBlock(block: AssistantBlock): ContentBlockParam | null {
  switch (block.type) {
    case 'text':
      return isBlank(block.text) ? null : { type: 'text', text: block.text };
    case 'thinking':
      // Without a signature the API cannot check it.
      return block.signature === '' ? null : { type: 'thinking', thinking: block.text, signature: block.signature };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: block.data };
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: inputObject(block.inputText) };
    case 'provider':
      // Written down by this adapter, in the API's own form, and checked by `searchesThatHold`.
      return block.data as unknown as ContentBlockParam;
  }
}

/**
 * The blocks of a message without the searches for tools that the API would refuse now: those without their answer, and
 * those that found a tool which is not offered as one to be searched for any more.
 */
function searchesThatHold(blocks: readonly AssistantBlock[], deferred: ReadonlySet<string>): readonly AssistantBlock[] {
  const answers = blocks.flatMap((block) => {
    const answer = block.type === 'provider' ? ToolSearchResult.safeParse(block.data) : null;
    return answer?.success === true ? [answer.data] : [];
  });
  const holding = answers.filter(
    ({ content }) =>
      deferred.size > 0 &&
      (content.type === 'tool_search_tool_result_error' ||
        content.tool_references.every((reference) => deferred.has(reference.tool_name))),
  );
  const ids = new Set<unknown>(holding.map((answer) => answer.tool_use_id));
  return blocks.filter((block) => block.type !== 'provider' || ids.has(block.data.tool_use_id ?? block.data.id));
}

function toolResult(result: ToolResultMessage): ToolResultBlockParam {
  return {
    type: 'tool_result',
    tool_use_id: result.callId,
    ...(isBlank(result.content) ? {} : { content: result.content }),
    ...(result.isError ? { is_error: true } : {}),
  };
}

/** Calls of a reply that was cut off never ran and have no result; the API wants one for each. */
function neverRan(call: ToolUseBlock): ToolResultBlockParam {
  return { type: 'tool_result', tool_use_id: call.id, content: 'This call was never run.', is_error: true };
}

/**
 * The conversation in the API's form: roles in turn, results first in their message, every call answered.
 * @param deferred the tools that are behind the tool search now
 */
export function toMessages(
  conversation: readonly ConversationMessage[],
  deferred: ReadonlySet<string> = new Set(),
): MessageParam[] {
  const drafts: Draft[] = [];
  let open: readonly ToolUseBlock[] = [];
  const append = (role: Draft['role'], content: readonly ContentBlockParam[]): void => {
    if (content.length === 0) return;
    const last = drafts.at(-1);
    if (last?.role === role) last.content.push(...content);
    else drafts.push({ role, content: [...content] });
  };
  const settle = (results: readonly ToolResultMessage[]): void => {
    const answered = new Set(results.map((result) => result.callId));
    append('user', [...results.map(toolResult), ...open.filter((call) => !answered.has(call.id)).map(neverRan)]);
    open = [];
  };

  for (const message of conversation) {
    if (message.role === 'results') {
      settle(message.results);
      continue;
    }
    settle([]);
    if (message.role === 'user') {
      append('user', isBlank(message.text) ? [] : [{ type: 'text', text: message.text }]);
    } else {
      append(
        'assistant',
        searchesThatHold(message.blocks, deferred)
          .map(assistantBlock)
          .filter((block) => block !== null),
      );
      open = message.blocks.filter((block) => block.type === 'tool_use');
    }
  }
  settle([]);
  return markLast(drafts);
}

function markLast(drafts: readonly Draft[]): MessageParam[] {
  const last = drafts.at(-1)?.content;
  const block = last?.at(-1);
  if (last !== undefined && (block?.type === 'text' || block?.type === 'tool_result')) {
    last[last.length - 1] = { ...block, ...CACHED };
  }
  return [...drafts];
}

export interface Instructions {
  readonly system?: TextBlockParam[];
  readonly tools?: ToolUnion[];
}

/** The model writes what it looks for in its own words. Never deferred itself, or nothing could be found. */
const TOOL_SEARCH = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' } as const;

/**
 * The system prompt and the tools, cached together up to the last of them. Empty ones are left out. Deferred tools come
 * last: they are no part of what is cached, and cannot be marked.
 */
export function toInstructions(
  system: string,
  tools: readonly ToolDefinition[],
  deferred: ReadonlySet<string> = new Set(),
): Instructions {
  const hasSystem = !isBlank(system);
  const apiTools = tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: { ...inputSchema, type: 'object' as const },
  }));
  const direct: ToolUnion[] = [
    ...(deferred.size > 0 ? [TOOL_SEARCH] : []),
    ...apiTools.filter(({ name }) => !deferred.has(name)),
  ];
  const last = direct.at(-1);
  if (!hasSystem && last !== undefined) direct[direct.length - 1] = { ...last, ...CACHED };
  const later = apiTools
    .filter(({ name }) => deferred.has(name))
    .map((tool): ToolUnion => ({ ...tool, defer_loading: true }));
  const all = [...direct, ...later];
  return {
    ...(hasSystem ? { system: [{ type: 'text', text: system, ...CACHED }] } : {}),
    ...(all.length > 0 ? { tools: all } : {}),
  };
}
