import { useEffect, useState } from 'react';
import { Copy } from './Copy';
import type { Piece } from './highlight';

interface Props {
  readonly text: string;
  readonly language: string;
}

/** Longer than this it is shown plain: colouring it would cost more than a frame. */
const MAX_HIGHLIGHTED = 20_000;

/** A block of code. The highlighter is fetched when the first one is shown, and what it colours is text all the same. */
export function Code({ text, language }: Props) {
  const [pieces, setPieces] = useState<readonly Piece[] | null>(null);
  useEffect(() => {
    if (language === '' || text.length > MAX_HIGHLIGHTED) return;
    let current = true;
    import('./highlight').then(
      ({ highlight }) => {
        if (current) setPieces(highlight(text, language));
      },
      // Plain text is as good to read, and nothing else depends on the colours.
      () => setPieces(null),
    );
    return () => {
      current = false;
    };
  }, [text, language]);

  return (
    <div className="code">
      <div className="code-head">
        <span>{language}</span>
        <Copy text={text} label="Copy code" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled with the keyboard */}
      <pre tabIndex={0}>
        {pieces === null || pieces.map((piece) => piece.text).join('') !== text
          ? text
          : pieces.map((piece, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text never change places
              <span key={index} className={piece.scope}>
                {piece.text}
              </span>
            ))}
      </pre>
    </div>
  );
}
