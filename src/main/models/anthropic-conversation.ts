import type {
  ContentBlockParam,
  MessageParam,
  TextBlockParam,
  Tool,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { AssistantBlock, ToolUseBlock } from '@shared/events';
import type { ConversationMessage, ToolDefinition, ToolResultMessage } from './model';

/** Marks the end of what the API may cache: the instructions with the tools, and the conversation so far. */
const CACHED = { cache_control: { type: 'ephemeral' } } as const;

type Draft = { readonly role: 'user' | 'assistant'; readonly content: ContentBlockParam[] };

/**
 * The arguments as the API wants them back: an object. What the model spelled and is no JSON object becomes `{}`; the
 * result that follows has told the model what was wrong with it.
 */
function inputObject(inputText: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(inputText);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
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
  }
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

/** The conversation in the API's form: roles in turn, results first in their message, every call answered. */
export function toMessages(conversation: readonly ConversationMessage[]): MessageParam[] {
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
        message.blocks.map(assistantBlock).filter((block) => block !== null),
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
  readonly tools?: Tool[];
}

/** The system prompt and the tools, cached together up to the last of them. Empty ones are left out. */
export function toInstructions(system: string, tools: readonly ToolDefinition[]): Instructions {
  const hasSystem = !isBlank(system);
  const apiTools = tools.map((tool, index): Tool => {
    const marked = !hasSystem && index === tools.length - 1;
    return {
      name: tool.name,
      description: tool.description,
      input_schema: { ...tool.inputSchema, type: 'object' },
      ...(marked ? CACHED : {}),
    };
  });
  return {
    ...(hasSystem ? { system: [{ type: 'text', text: system, ...CACHED }] } : {}),
    ...(apiTools.length > 0 ? { tools: apiTools } : {}),
  };
}
