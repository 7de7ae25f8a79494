/** What reorders, hides or controls text, but for the line feed and the tab. Joiners stay: scripts and emoji need them. */
const UNSEEN =
  /(?![\n\t\u200c\u200d])[\p{Cc}\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** Text that others wrote with everything invisible spelled out, so that an exported page cannot deceive either. */
export function visibleText(text: string): string {
  return text.replace(/\r\n/gu, '\n').replace(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `⟦U+${code.toString(16).toUpperCase().padStart(4, '0')}⟧`;
  });
}
