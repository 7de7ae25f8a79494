/** The API's rules about the order of messages and the pairing of calls with results. Each check gives its complaint. */

interface ContentBlock {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly ContentBlock[];
}

const blocksOf = (message: Message): readonly ContentBlock[] =>
  typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;

const list = (ids: readonly unknown[]): string => ids.map(String).join(', ');

function checkRoles(messages: readonly Message[]): string | null {
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  for (const [index, message] of messages.entries()) {
    if (index > 0 && messages[index - 1]?.role === message.role) {
      return `messages.${index}: roles must alternate between "user" and "assistant", but found multiple "${message.role}" roles in a row`;
    }
  }
  const last = messages.at(-1);
  // A reply that was paused in the middle of the API's own work is sent back as it came, and goes on.
  const paused = last !== undefined && blocksOf(last).at(-1)?.type === 'tool_search_tool_result';
  if (last?.role === 'assistant' && !paused) return 'This model does not support assistant message prefill.';
  return null;
}

function checkTexts(messages: readonly Message[]): string | null {
  for (const [index, message] of messages.entries()) {
    if (message.content.length === 0) return `messages.${index}: all messages must have non-empty content`;
    for (const block of blocksOf(message)) {
      if (block.type === 'text' && String(block.text).trim() === '') {
        return `messages.${index}: text content blocks must contain non-whitespace text`;
      }
    }
  }
  return null;
}

const ASSISTANT_ONLY = ['tool_use', 'thinking', 'redacted_thinking', 'server_tool_use', 'tool_search_tool_result'];

/** A call that the API made itself has its result in the same message, after it. */
function checkServerCalls(messages: readonly Message[]): string | null {
  for (const [index, message] of messages.entries()) {
    const open = new Set<unknown>();
    for (const block of blocksOf(message)) {
      if (block.type === 'server_tool_use') open.add(block.id);
      else if (block.type === 'tool_search_tool_result' && !open.delete(block.tool_use_id)) {
        return `messages.${index}: \`tool_search_tool_result\` without its \`server_tool_use\`: ${String(block.tool_use_id)}`;
      }
    }
    if (open.size > 0) return `messages.${index}: \`server_tool_use\` without its result: ${list([...open])}`;
  }
  return null;
}

function checkPlaces(messages: readonly Message[]): string | null {
  for (const [index, message] of messages.entries()) {
    for (const block of blocksOf(message)) {
      const assistantOnly = ASSISTANT_ONLY.includes(block.type);
      if (assistantOnly && message.role === 'user') return `messages.${index}: user message cannot hold ${block.type}`;
      if (block.type === 'tool_result' && message.role === 'assistant') {
        return `messages.${index}: \`tool_result\` blocks can only be in "user" messages`;
      }
    }
  }
  return null;
}

function checkPairs(messages: readonly Message[]): string | null {
  const seen = new Set<unknown>();
  for (const [index, message] of messages.entries()) {
    const before = index === 0 ? undefined : messages[index - 1];
    const asked =
      before?.role === 'assistant'
        ? blocksOf(before)
            .filter((block) => block.type === 'tool_use')
            .map((block) => block.id)
        : [];
    for (const id of asked) {
      if (seen.has(id)) return `messages.${index - 1}: \`tool_use\` ids must be unique`;
      seen.add(id);
    }
    if (message.role === 'assistant') continue;
    const blocks = blocksOf(message);
    const results = blocks.filter((block) => block.type === 'tool_result').map((block) => block.tool_use_id);
    const unexpected = results.filter((id) => !asked.includes(id));
    if (unexpected.length > 0) {
      return `messages.${index}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${list(unexpected)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    }
    const missing = asked.filter((id) => !results.includes(id));
    if (missing.length > 0) {
      return `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${list(missing)}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    }
    if (new Set(results).size !== results.length) {
      return `messages.${index}: each tool_use must have a single result. Found multiple \`tool_result\` blocks`;
    }
    if (blocks.slice(0, results.length).some((block) => block.type !== 'tool_result')) {
      return `messages.${index}: \`tool_result\` blocks must come first in the content`;
    }
  }
  return null;
}

function checkThinking(messages: readonly Message[], issued: ReadonlyMap<string, string>): string | null {
  for (const [index, message] of messages.entries()) {
    for (const block of blocksOf(message)) {
      if (block.type !== 'thinking') continue;
      const original = issued.get(String(block.signature));
      if (original !== undefined && original !== block.thinking) {
        return `messages.${index}: \`thinking\` blocks cannot be modified. These blocks must remain as they were in the original response.`;
      }
    }
  }
  return null;
}

/**
 * The first thing that is wrong with a conversation, or null.
 * @param issued the text of every thinking block that this server has sent, by its signature
 */
export function conversationProblem(messages: readonly Message[], issued: ReadonlyMap<string, string>): string | null {
  return (
    checkRoles(messages) ??
    checkTexts(messages) ??
    checkPlaces(messages) ??
    checkServerCalls(messages) ??
    checkPairs(messages) ??
    checkThinking(messages, issued)
  );
}
