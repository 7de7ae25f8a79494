import { useMemo } from 'react';
import { Copy } from './Copy';
import { exact } from './text';

interface Props {
  readonly diff: string;
  readonly omittedLines: number;
}

const KINDS: Readonly<Record<string, string>> = { '+': 'a', '-': 'd', '@': 'h', '\\': 'h' };

/** A unified diff. Each line says by its first character what it is, so colour is never all there is. */
export function Diff({ diff, omittedLines }: Props) {
  const blocks = useMemo(() => blocksOf(diff), [diff]);
  return (
    <div className="out-wrap">
      <div className="out-act">
        <Copy text={diff} label="Copy changes" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long diff is scrolled with the keyboard */}
      <div className="diff" tabIndex={0}>
        <div className="diff-lines">
          {blocks.map(({ kind, text }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff never change places
            <div key={index} className={kind}>
              {text}
            </div>
          ))}
          {omittedLines > 0 && <div className="h">… {omittedLines.toLocaleString('en')} more lines are not shown</div>}
        </div>
      </div>
    </div>
  );
}

/** Lines of one kind that follow one another stand in one element: a diff of hundreds of lines is drawn in a frame. */
function blocksOf(diff: string): readonly { readonly kind: string; readonly text: string }[] {
  const blocks: { readonly kind: string; text: string }[] = [];
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const kind = KINDS[line[0] ?? ''] ?? '';
    const text = exact(line) || ' ';
    const last = blocks.at(-1);
    if (last?.kind === kind) last.text += `\n${text}`;
    else blocks.push({ kind, text });
  }
  return blocks;
}
