import hljs from 'highlight.js/lib/common';

export interface Piece {
  readonly text: string;
  readonly scope: string;
}

/** Colours for a text, as pieces with class names. The highlighter's markup is read as a document, never inserted. */
export function highlight(text: string, language: string): readonly Piece[] | null {
  if (hljs.getLanguage(language) === undefined) return null;
  const html = hljs.highlight(text, { language, ignoreIllegals: true }).value;
  const parsed = new DOMParser().parseFromString(`<pre>${html}</pre>`, 'text/html');
  const pieces: Piece[] = [];
  const walk = (node: Node, scope: string) => {
    for (const child of node.childNodes) {
      if (child instanceof Text) pieces.push({ text: child.data, scope });
      else if (child instanceof Element) walk(child, child.className);
    }
  };
  const pre = parsed.querySelector('pre');
  if (pre !== null) walk(pre, '');
  return pieces;
}
