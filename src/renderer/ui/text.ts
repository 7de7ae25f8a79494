/**
 * What reorders, hides or controls text, and what is assigned and has no ink. Joiners (U+200C, U+200D) and the two
 * selectors of how an emoji looks stay: scripts and emoji need them.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\u0000-\u0008\u000b-\u001f\u007f-\u009f\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800\ufffc\u{1d159}]/gu;

/** The same without exceptions, and every space but the plain one, what is not assigned, and the marks of an escape. */
const UNEXACT = /(?![\t\n ])[\p{C}\p{Default_Ignorable_Code_Point}\p{Z}\u2800\ufffc\u{1d159}\u27e6\u27e7]/gu;

/** Within a line, so many spaces push what follows out of sight; fewer are an indentation or a table. */
const LONG_SPACE = /(?<=[^\n ]) {16,}/g;

const TERMINAL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-Z\\-_]/g;

/** Text that others wrote, with everything invisible spelled out, so that it cannot pass for something else. */
export function visible(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(UNSEEN, named);
}

/** Text that is decided about: of what could be seen otherwise than it is, nothing is left but tabs and line ends. */
export function exact(text: string): string {
  return text.replace(UNEXACT, named).replace(LONG_SPACE, (spaces) => `⟦${spaces.length}×SP⟧`);
}

function named(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟦U+${code.toString(16).toUpperCase().padStart(4, '0')}⟧`;
}

/** One line of it, for titles and rows. */
export function oneLine(text: string): string {
  return visible(text.replace(/\s+/g, ' ').trim());
}

/** What a command printed: colours and cursor movements are dropped, CR LF is one line end, the rest is spelled out. */
export function terminalText(text: string): string {
  return visible(text.replace(TERMINAL, '').replace(/\r+\n/g, '\n').replace(/\r/g, '\n'));
}
