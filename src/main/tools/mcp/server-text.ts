import { stripTerminalSequences } from '../../approvals/display/terminal';

/** Controls but tab and line feed, and what is invisible or reorders text. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Prose that an MCP server wrote, for a model to read: untrusted, so it is cut and holds nothing that a person who reads
 * the same text would not see.
 * @param max in characters (code points)
 */
export function serverText(text: string, max: number): string {
  // Bounded before anything looks at it twice; no character is longer than two units.
  const clean = stripTerminalSequences(text.slice(0, 2 * max + 1_000).replaceAll('\r\n', '\n'));
  const seen = [...clean.replace(UNSEEN, (unit) => (unit === '\n' || unit === '\t' ? unit : ''))];
  return seen.length <= max ? seen.join('') : `${seen.slice(0, max - 1).join('')}…`;
}
