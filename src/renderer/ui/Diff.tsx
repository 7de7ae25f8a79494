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
  const lines = useMemo(() => diff.replace(/\n$/, '').split('\n'), [diff]);
  return (
    <div className="out-wrap">
      <div className="out-act">
        <Copy text={diff} label="Copy changes" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long diff is scrolled with the keyboard */}
      <div className="diff" tabIndex={0}>
        <div className="diff-lines">
          {lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff never change places
            <div key={index} className={KINDS[line[0] ?? ''] ?? ''}>
              {exact(line) || ' '}
            </div>
          ))}
          {omittedLines > 0 && <div className="h">… {omittedLines.toLocaleString('en')} more lines are not shown</div>}
        </div>
      </div>
    </div>
  );
}
