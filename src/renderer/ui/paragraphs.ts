/** Cuts at blank lines that lie outside a fenced block and before a line that starts something new. */
export function paragraphs(text: string): readonly string[] {
  const parts: string[] = [];
  let current = '';
  let fence = '';
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (fence === '') fence = mark;
    else if (mark.startsWith(fence)) fence = '';
    const startsNew = fence === mark && current.endsWith('\n\n') && /^[^\s\-*+\d|>]/.test(line);
    if (startsNew) {
      parts.push(current);
      current = '';
    }
    current += `${line}\n`;
  }
  parts.push(current);
  return parts;
}
