import type { ConversationMessage } from '../models/model';

/** Of one result, what a summary may be made from: its beginning and its end. */
const RESULT_LENGTH = 2_000;

/**
 * Messages as one text for a summary, short of what nobody needs any more. Pure.
 * @param maxBytes what all of it may come to, in UTF-8; the middle is left out
 */
export function transcript(messages: readonly ConversationMessage[], maxBytes: number): string {
  const whole = messages.map(textOf).join('\n\n');
  const bytes = Buffer.byteLength(whole);
  return bytes <= maxBytes ? whole : cut(whole, Math.floor((whole.length * maxBytes) / bytes));
}

function textOf(message: ConversationMessage): string {
  if (message.role === 'user') return `OPERATOR: ${message.text}`;
  if (message.role === 'results') {
    return message.results
      .map(({ content, isError }) => `${isError ? 'ERROR' : 'RESULT'}: ${cut(content, RESULT_LENGTH)}`)
      .join('\n');
  }
  return message.blocks
    .flatMap((block) => {
      if (block.type === 'text') return [`AGENT: ${block.text}`];
      return block.type === 'tool_use' ? [`CALL: ${block.name} ${cut(block.inputText, RESULT_LENGTH)}`] : [];
    })
    .join('\n');
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const half = Math.floor(length / 2);
  // No half of a character is left at the edges.
  const head = text.slice(0, half).replace(/[\ud800-\udbff]$/u, '');
  const tail = text.slice(-half).replace(/^[\udc00-\udfff]/u, '');
  return `${head}\n[${text.length - length} characters left out]\n${tail}`;
}
