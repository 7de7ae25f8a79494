import { visibleText } from './visible';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text that is only ever text, with everything invisible in it spelled out. */
export function escaped(text: string): string {
  return visibleText(text).replace(/[&<>"']/gu, (character) => ENTITIES[character] ?? '');
}

const FENCE = /^\s*(?:`{3,}|~{3,}).*$/u;

/**
 * What a model wrote, with the little of its Markdown that reads badly as it stands: blocks of code, code in a line, bold.
 * Everything is escaped before anything is marked up, and nothing of it becomes an address or an image.
 */
export function prose(text: string): string {
  const parts: string[] = [];
  let lines: string[] = [];
  let inCode = false;
  const flush = () => {
    const part = lines.join('\n');
    if (part.trim() !== '') parts.push(inCode ? `<pre>${escaped(part)}</pre>` : `<div>${inline(part.trim())}</div>`);
    lines = [];
  };
  for (const line of text.split('\n')) {
    if (FENCE.test(line)) {
      flush();
      inCode = !inCode;
    } else {
      lines.push(line);
    }
  }
  flush();
  return parts.join('');
}

function inline(text: string): string {
  return escaped(text)
    .replace(/`([^`\n]+)`/gu, '<code>$1</code>')
    .replace(/\*\*([^*\n]+)\*\*/gu, '<b>$1</b>');
}
