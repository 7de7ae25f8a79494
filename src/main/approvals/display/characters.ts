import { isUnassigned } from './unassigned';

/** The abbreviations of ISO 6429, which people know from terminals and ASCII tables; HT goes by its key's name. */
const C0 =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US';

const NAMES: ReadonlyMap<number, string> = new Map([
  ...C0.split(' ').map((name, code): [number, string] => [code, name]),
  [0x20, 'SP'],
  [0x7f, 'DEL'],
]);

/** The marks that an escape stands between. In a text they are escaped themselves, so that no text can fake an escape. */
export const OPEN = '\u27e6';
export const CLOSE = '\u27e7';

/** Controls, formats, surrogates, private use, unassigned; all that fonts leave out; every space but U+0020. */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Zs}]/u;

/**
 * Assigned characters with a general category of visible ones and, in fonts, no ink of their own: braille blank, null
 * notehead, object replacement, and marks that only change how their neighbours are laid out.
 */
const BLANK: ReadonlySet<number> = new Set([0x2800, 0x1d159, 0xfffc, 0x2d7f, 0x1107f, 0x16fe4, 0x1bc9d]);

const MARK = /\p{M}/u;

/** Whether a character (a lone surrogate included) must never stand in what the operator reads. U+0020 may. */
export function mustBeEscaped(character: string): boolean {
  const code = codeOf(character);
  if (code >= 0x20 && code < 0x7f) return false;
  if (character === OPEN || character === CLOSE) return true;
  return isUnassigned(code) || BLANK.has(code) || INVISIBLE.test(character);
}

/** Whether a character is drawn on the one before it. */
export function isMark(character: string): boolean {
  return character >= '\u0300' && MARK.test(character);
}

/** How an escape for `count` times this character in a row is written. */
export function escapeOf(character: string, count: number): string {
  const code = codeOf(character);
  const name = NAMES.get(code) ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return `${OPEN}${count > 1 ? `${count}\u00d7` : ''}${name}${CLOSE}`;
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
