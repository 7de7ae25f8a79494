import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import Markdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { describe, expect, it } from 'vitest';
import { fence, line, quote } from '../../../src/main/sessions/transfer/markdown-text';

interface Node {
  readonly type: string;
  readonly children?: readonly Node[];
}

/** A page as it is read; `live` is what of it other readers would load or take for HTML. */
function read(markdown: string): { readonly html: string; readonly live: string[] } {
  const live: string[] = [];
  const look = (node: Node) => {
    if (['html', 'image', 'imageReference'].includes(node.type)) live.push(node.type);
    node.children?.forEach(look);
  };
  const remarkPlugins = [remarkGfm, () => look];
  return { html: renderToStaticMarkup(createElement(Markdown, { remarkPlugins }, markdown)), live };
}

const IMAGE = '<img src="https://example.org/p.png">';

/** What has been used, or could be, to have a page load something: HTML and pictures, and fences that hide where code ends. */
const HOSTILE: readonly string[] = [
  '![x](https://example.org/p.png)',
  '![x][y]\n\n[y]: https://example.org/p.png',
  '\\![x](https://example.org/p.png) !\\\\[x](https://example.org/p.png)',
  '[![x](https://example.org/p.png)](https://example.org)',
  IMAGE,
  `\`\`\`\n~~~\n\`\`\`\n\n${IMAGE}`,
  `text\n\n    \`\`\`\n\n${IMAGE}`,
  `\`\`\` a\`b\n\n${IMAGE}`,
  `1. one\n     ~~~\n\n${IMAGE}\n\n\`\`\`\n${IMAGE}\n\`\`\`\n${IMAGE}`,
  `> ~~~\n\n\`\`\`\n${IMAGE}\n\`\`\`\`\n${IMAGE}\n\`\`\`\n${IMAGE}`,
  `\`\`\`\`\n\`\`\`\n${IMAGE}`,
  `\t~~~\n${IMAGE}\r~~~\r${IMAGE}\u2028${IMAGE}`,
  `\`${IMAGE}\` \`\` ${IMAGE}`,
  `<!-- ${IMAGE}`,
];

describe('Markdown that others wrote, in an exported page', () => {
  it.each(HOSTILE)('loads nothing as prose: %j', (text) => {
    const { html, live } = read(`${quote(text)}\n\nafter *it*`);
    expect(live).toEqual([]);
    expect(html).toContain('<p>after <em>it</em></p>');
  });

  it.each(HOSTILE)('loads nothing in a line that stands before a block: %j', (text) => {
    const page = `${line(text)}\n\n${fence(`~~~\n${IMAGE}\n\`\`\`\n${IMAGE}`)}\n\n- ${line(`1. ${text}`)}\n\nafter *it*`;
    const { html, live } = read(page);
    expect(live).toEqual([]);
    expect(html).toContain('<p>after <em>it</em></p>');
  });

  it('loads nothing in any order of all of this', () => {
    for (const [at, text] of HOSTILE.entries()) {
      const order = [...HOSTILE.slice(at), ...HOSTILE.slice(0, at), text];
      expect(read(quote(order.join('\n'))).live).toEqual([]);
    }
  });

  it('stays what it was to read', () => {
    const text =
      'Some **bold** words, a list:\n\n- `one`\n- 1 < 2\n\n```ts\nconst a = b<c>(d);\n```\nand [a link](https://example.org).';
    const { html } = read(quote(text));
    expect(html).toContain('<strong>bold</strong>');
    expect(html).toContain('<li>1 &lt; 2</li>');
    expect(html).toContain('const a = b&lt;c&gt;(d);\n</code>');
    expect(html).toContain('<a href="https://example.org">a link</a>');
  });

  it('takes any number of backticks', () => {
    const ticks = '` '.repeat(300_000);
    expect(fence(ticks)).toBe(`\`\`\`text\n${ticks}\n\`\`\``);
  });
});
