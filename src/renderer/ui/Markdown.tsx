import { memo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { Code } from './Code';
import { paragraphs } from './paragraphs';
import { visible } from './text';

/** Nothing that a model wrote can be followed or loaded: a link is its text and its whole address, a picture too. */
const components: Components = {
  a: ({ children, href }) => (
    <span className="link">
      {children}
      {href !== undefined && href !== textOf(children) && <span className="url mono"> {visible(href)}</span>}
    </span>
  ),
  img: ({ alt, src }) => (
    <span className="link">
      [picture not loaded{alt ? `: ${alt}` : ''}]<span className="url mono"> {visible(String(src ?? ''))}</span>
    </span>
  ),
  pre: ({ children }) => <>{children}</>,
  code: ({ children, className }) => {
    const text = textOf(children);
    const language = /language-([\w+-]+)/.exec(className ?? '')?.[1];
    if (language === undefined && !text.includes('\n')) return <code>{children}</code>;
    return <Code text={text.replace(/\n$/, '')} language={language ?? ''} />;
  },
  input: ({ checked }) => <span>{checked ? '☑' : '☐'}</span>,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard
    <div className="table" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
};

const plugins = [remarkGfm];

function textOf(children: unknown): string {
  if (typeof children === 'string') return children;
  return Array.isArray(children) ? children.map(textOf).join('') : '';
}

/** Prose of a model. Raw HTML stays text; addresses are shown and never opened, so they need no filter. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  return (
    <ReactMarkdown remarkPlugins={plugins} components={components} urlTransform={(url) => url}>
      {visible(text)}
    </ReactMarkdown>
  );
});

/** The same while it streams: only the last paragraph is read again at each new word. */
export function StreamingMarkdown({ text }: { readonly text: string }) {
  const parts = paragraphs(text);
  return (
    <>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: paragraphs only ever come at the end
        <Markdown key={index} text={part} />
      ))}
    </>
  );
}
