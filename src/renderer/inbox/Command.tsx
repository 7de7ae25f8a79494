import type { DisplayToken } from '@shared/requests';
import { ArrowDown, TriangleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Token, warningWords } from '../ui/Tokens';
import { useSeen } from './seen';

interface Props {
  readonly command: readonly DisplayToken[];
  readonly onSeen: () => void;
}

/** The command as it would be executed: one row per argument. It reports when all of it has been on screen. */
export function Command({ command, onSeen }: Props) {
  const scroller = useRef<HTMLOListElement>(null);
  const { whole, showRest } = useSeen(scroller);
  useEffect(() => {
    if (whole) onSeen();
  }, [whole, onSeen]);

  return (
    <div className="command">
      <div className="argv-wrap">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long command is scrolled with the keyboard */}
        <ol ref={scroller} className="argv" aria-label="Command" tabIndex={0}>
          {command.map((token, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the arguments of a command never change places
            <li key={index} className={token.warnings.length > 0 ? 'warned' : ''}>
              <Token token={token} />
            </li>
          ))}
        </ol>
        {!whole && (
          <button type="button" className="btn tiny rest" onClick={showRest}>
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
