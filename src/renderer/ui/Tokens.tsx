import type { DisplayToken } from '@shared/requests';

/** One row of a command, with whatever could deceive spelled out and marked. */
export function Token({ token }: { readonly token: DisplayToken }) {
  return (
    <>
      {token.segments.map((segment, index) =>
        segment.escape ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the segments of a token never change places
          <span key={index} className="esc">
            {segment.text}
          </span>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the segments of a token never change places
          <span key={index}>{segment.text}</span>
        ),
      )}
    </>
  );
}

const WARNINGS: Readonly<Record<string, string>> = {
  hidden: 'hides invisible or control characters',
  terminal: 'has terminal control sequences',
  bidi: 'has characters that reorder text',
  rtl: 'has right-to-left text: the order may look different',
  'mixed-script': 'mixes letters of different alphabets',
};

/** A warning of a token in words. */
export function warningWords(warning: string): string {
  const [name, ...rest] = warning.split(':');
  if (name === 'lookalike') return `looks like “${rest.join(':')}” and is not`;
  return WARNINGS[warning] ?? warning;
}

/** A command in one line, for rows: tokens with spaces or nothing in them are quoted. */
export function CommandLine({ command }: { readonly command: readonly DisplayToken[] }) {
  return (
    <span className="line mono">
      {command.map((token, index) => {
        const text = token.segments.map((segment) => segment.text).join('');
        const quote = text === '' || /[\s"']/.test(text) ? '"' : '';
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of a command never change places
          <span key={index}>
            {index > 0 && ' '}
            {quote}
            <Token token={token} />
            {quote}
          </span>
        );
      })}
    </span>
  );
}
