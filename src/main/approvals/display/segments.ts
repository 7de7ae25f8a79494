import type { DisplaySegment } from '@shared/requests';
import { escapeOf, isMark, mustBeEscaped } from './characters';

/** From so many spaces in a row on they are counted: enough for any indentation, too few to push a text out of sight. */
const LONG_SPACE = 16;

/** From so many equal escapes in a row on they are counted: two are read faster than a number. */
const LONG_ESCAPE = 3;

/** No writing system needs more marks on one letter. A taller stack covers the lines around it. */
const MAX_MARKS = 3;

interface Piece {
  readonly character: string;
  readonly count: number;
  readonly escaped: boolean;
}

export interface SegmentOptions {
  /** Keep one or two line feeds in a row as they are. Where they are not kept they are escaped like any control. */
  readonly lineFeeds: 'keep' | 'escape';
}

/** A text as segments, nothing removed: what can be shown as it is, and escapes for the rest. Adjacent text is one. */
export function toSegments(text: string, options: SegmentOptions): DisplaySegment[] {
  const segments: DisplaySegment[] = [];
  let plain = '';
  const flush = () => {
    if (plain !== '') segments.push({ text: plain, escape: false });
    plain = '';
  };
  for (const piece of pieces(text, options)) {
    if (!piece.escaped) {
      plain += piece.character.repeat(piece.count);
      continue;
    }
    flush();
    const once = piece.count < LONG_ESCAPE;
    const shown = escapeOf(piece.character, once ? 1 : piece.count);
    for (let left = once ? piece.count : 1; left > 0; left -= 1) segments.push({ text: shown, escape: true });
  }
  flush();
  return segments;
}

/** Runs of one character that share their fate. */
function* pieces(text: string, { lineFeeds }: SegmentOptions): Generator<Piece> {
  // Marks stand on what is shown before them, so an escape, a space or the start of the text bears none: on the
  // bracket of an escape a mark would change how the escape looks.
  let marksLeft = 0;
  for (const { character, count } of runs(text)) {
    if (isMark(character) && !mustBeEscaped(character)) {
      const borne = Math.min(marksLeft, count);
      if (borne > 0) yield { character, count: borne, escaped: false };
      marksLeft -= borne;
      if (borne === count) continue;
      yield { character, count: count - borne, escaped: true };
      marksLeft = 0;
      continue;
    }
    const escaped =
      character === ' '
        ? count >= LONG_SPACE
        : mustBeEscaped(character) && !(character === '\n' && lineFeeds === 'keep' && count < LONG_ESCAPE);
    marksLeft = escaped || character === ' ' || character === '\n' ? 0 : MAX_MARKS;
    yield { character, count, escaped };
  }
}

function* runs(text: string): Generator<{ character: string; count: number }> {
  let character = '';
  let count = 0;
  for (const next of text) {
    if (next === character) {
      count += 1;
      continue;
    }
    if (count > 0) yield { character, count };
    character = next;
    count = 1;
  }
  if (count > 0) yield { character, count };
}
