import { toSegments } from './segments';
import { stripTerminalSequences } from './terminal';

/** How much of a question, an option or a reason is shown, in characters (code points), the ellipsis included. */
export const PROSE_LIMIT = 500;

/** What lies behind this is not read at all: no text that is shown comes from there but out of a flood of control sequences. */
const READ_LIMIT = 65_536;

const ELLIPSIS = '\u2026';

/** A character and the marks on it: a cut between them would change the character. */
const CLUSTER = /.\p{M}*/gsu;

/**
 * Prose that a model wrote, for a person to read: terminal control sequences are removed, then what is invisible or
 * reorders text becomes a named escape, then it is cut, never inside an escape; an ellipsis says that it was cut.
 *
 * Lines stay lines: CR LF counts as one line feed, one or two line feeds in a row stay, three or more are counted in an
 * escape, and a lone CR is an escape. No other control character is ever in the result.
 */
export function displayProse(text: string, max: number = PROSE_LIMIT): string {
  const clean = stripTerminalSequences(text.slice(0, READ_LIMIT)).replaceAll('\r\n', '\n');
  const units = toSegments(clean, { lineFeeds: 'keep' }).flatMap((segment) =>
    segment.escape ? [segment.text] : (segment.text.match(CLUSTER) ?? []),
  );
  let length = 0;
  let shown = '';
  /** The longest beginning that leaves room for the ellipsis. */
  let fitting = '';
  for (const unit of units) {
    length += [...unit].length;
    if (length > max) return max > 0 ? fitting + ELLIPSIS : '';
    shown += unit;
    if (length < max) fitting = shown;
  }
  return text.length > READ_LIMIT && max > 0 ? fitting + ELLIPSIS : shown;
}
