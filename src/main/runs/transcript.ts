import type { ConversationMessage } from '../models/model';

/** Of one result, what a summary may be made from: its beginning and its end. */
const RESULT_LENGTH = 2_000;

const INDENT = '  ';

/** What begins another line for some reader. */
const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u;

/** The frame that a transcript stands in for the model. */
const FRAME = /<(\/?)(?=transcript)/giu;

/**
 * Messages as one text for a summary, short of what nobody needs any more. Only what begins a message or a call stands at
 * the beginning of a line, all else is indented, and nothing is left that could end the frame around it: whatever a tool
 * gave, it cannot pass for the operator. Pure.
 * @param maxBytes what all of it may come to, in UTF-8; the middle is left out
 */
export function transcript(messages: readonly ConversationMessage[], maxBytes: number): string {
  const whole = messages.map(textOf).join('\n\n');
  const bytes = Buffer.byteLength(whole);
  if (bytes <= maxBytes) return whole;
  // What is left of a line that was cut must not stand at its beginning.
  return cut(whole, Math.floor((whole.length * maxBytes) / bytes), INDENT);
}

function textOf(message: ConversationMessage): string {
  if (message.role === 'user') return entry('OPERATOR', message.text);
  if (message.role === 'results') {
    return message.results
      .map(({ content, isError }) => entry(isError ? 'ERROR' : 'RESULT', cut(content, RESULT_LENGTH)))
      .join('\n');
  }
  return message.blocks
    .flatMap((block) => {
      if (block.type === 'text') return [entry('AGENT', block.text)];
      return block.type === 'tool_use' ? [entry('CALL', `${block.name} ${cut(block.inputText, RESULT_LENGTH)}`)] : [];
    })
    .join('\n');
}

function entry(kind: 'OPERATOR' | 'AGENT' | 'CALL' | 'RESULT' | 'ERROR', text: string): string {
  const lines = text.replace(FRAME, '&lt;$1').split(LINE_END);
  return `${kind}: ${lines.join(`\n${INDENT}`)}`;
}

/** @param before what stands before each line that follows from the cut */
function cut(text: string, length: number, before = ''): string {
  if (text.length <= length) return text;
  const half = Math.floor(length / 2);
  // No half of a character is left at the edges.
  const head = text.slice(0, half).replace(/[\ud800-\udbff]$/u, '');
  const tail = text.slice(-half).replace(/^[\udc00-\udfff]/u, '');
  return `${head}\n${before}[${text.length - length} characters left out]\n${before}${tail}`;
}
