import type { DisplayToken } from '@shared/requests';
import { CLOSE, OPEN } from './characters';
import { DEFAULT_KNOWN_NAMES, type KnownNames } from './known-names';
import { toSegments } from './segments';
import { warningsFor } from './warnings';

/** An argument without any character is an argument too, and has to be seen. No control character has this name. */
const EMPTY: DisplayToken = { segments: [{ text: `${OPEN}EMPTY${CLOSE}`, escape: true }], warnings: [] };

/**
 * One argv element as the operator reads it: nothing removed, nothing hidden. Whatever is invisible, reorders text,
 * controls a terminal or could be mistaken for an escape stands as a named escape between U+27E6 and U+27E7; long runs
 * are counted. Different texts are displayed differently.
 *
 * The segments are in logical order. A view that wants them read in that order has to lay them out left to right with
 * `unicode-bidi: isolate-override`; the `rtl` warning says that there is something to lay out.
 */
export function displayToken(text: string, known: KnownNames = DEFAULT_KNOWN_NAMES): DisplayToken {
  if (text === '') return { segments: [...EMPTY.segments], warnings: [] };
  const segments = toSegments(text, { lineFeeds: 'escape' });
  return { segments, warnings: warningsFor(text, segments, known) };
}
