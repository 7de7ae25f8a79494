import type { DisplayToken } from '@shared/requests';
import { ArrowDown, TriangleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Token, warningWords } from '../ui/Tokens';
import { useSeenWhole } from './guard';

interface Props {
  readonly command: readonly DisplayToken[];
  readonly onSeen: () => void;
}

/** The command as it would be executed: one row per argument. It reports when all of it has been on screen. */
export function Command({ command, onSeen }: Props) {
  const scroller = useRef<HTMLOListElement>(null);
  const top = useRef<HTMLSpanElement>(null);
  const end = useRef<HTMLSpanElement>(null);
  const seen = useSeenWhole(top, end);
  useEffect(() => {
    if (seen) onSeen();
  }, [seen, onSeen]);

  const showMore = () => {
    const element = scroller.current;
    if (element === null) return;
    if (element.scrollTop + element.clientHeight < element.scrollHeight - 1) {
      element.scrollBy({ top: element.clientHeight - 24 });
    } else end.current?.scrollIntoView({ block: 'nearest' });
  };

  return (
    <div className="command">
      <div className="argv-wrap">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long command is scrolled with the keyboard */}
        <ol ref={scroller} className="argv" aria-label="Command" tabIndex={0}>
          {command.map((token, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the arguments of a command never change places
            <li key={index} className={token.warnings.length > 0 ? 'warned' : ''}>
              {index === 0 && <span ref={top} />}
              <Token token={token} />
              {index === command.length - 1 && <span ref={end} />}
            </li>
          ))}
        </ol>
        {!seen && (
          <button type="button" className="btn tiny rest" onClick={showMore}>
            <ArrowDown size={12} aria-hidden /> Show the rest
          </button>
        )}
      </div>
      <Warnings command={command} />
    </div>
  );
}

function Warnings({ command }: { readonly command: readonly DisplayToken[] }) {
  const rows = command.flatMap((token, index) =>
    token.warnings.length === 0 ? [] : [{ row: index + 1, words: token.warnings.map(warningWords).join('; ') }],
  );
  if (rows.length === 0) return null;
  return (
    <ul className="warnings" aria-label="Warnings">
      {rows.map(({ row, words }) => (
        <li key={row}>
          <TriangleAlert size={12} aria-hidden />
          <span>
            Row {row} {words}.
          </span>
        </li>
      ))}
    </ul>
  );
}
