/** What reorders, hides or controls text. Joiners (U+200C, U+200D) stay: scripts and emoji need them. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

const TERMINAL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-Z\\-_]/g;

/** Text that others wrote, with everything invisible spelled out, so that it cannot pass for something else. */
export function visible(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `⟦U+${code.toString(16).toUpperCase().padStart(4, '0')}⟧`;
  });
}

/** One line of it, for titles and rows. */
export function oneLine(text: string): string {
  return visible(text.replace(/\s+/g, ' ').trim());
}

/** What a command printed: colours and cursor movements are dropped, CR LF is one line end, the rest is spelled out. */
export function terminalText(text: string): string {
  return visible(text.replace(TERMINAL, '').replace(/\r+\n/g, '\n').replace(/\r/g, '\n'));
}
