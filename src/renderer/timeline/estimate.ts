import type { Entry } from './entries';
import { opensItself } from './opens-itself';

/** In pixels, as the style sheets have them at the usual size of type. */
const LINE = 20;
const ROW = 28;
const CODE_LINE = 19.2;
const BOX = 320;
/** About how wide a letter of prose is, and the space beside it. */
const LETTER = 6.4;
const MARGIN = 180;
/** No line of prose is longer, however wide the column is. */
const LONGEST = 84;

/**
 * About how high an entry will be before anybody has drawn it, in pixels: the closer, the less has to be put right when
 * a place in the journal is gone to.
 * @param width of the column, in pixels
 */
export function estimateHeight(entry: Entry, width: number): number {
  switch (entry.kind) {
    case 'user':
    case 'agent':
      return 16 + prose(entry.text, width);
    case 'thinking':
      return ROW;
    case 'question':
      return 60 + prose(entry.question, width);
    case 'run-end':
      return 54;
    case 'run-start':
      return 41;
    case 'call': {
      if (!opensItself(entry)) return ROW;
      const shown = entry.preview?.kind === 'file' ? entry.preview.diff : entry.output;
      return ROW + 30 + Math.min(BOX, CODE_LINE * count(shown, '\n', 20) + 12);
    }
    default:
      return 24;
  }
}

function prose(text: string, width: number): number {
  const letters = Math.min(LONGEST, Math.max(20, (width - MARGIN) / LETTER));
  const breaks = count(text, '\n', 200);
  return LINE * (Math.ceil(text.length / letters) + breaks * 0.6);
}

/** How often it stands in a text, up to a limit. */
function count(text: string, what: string, limit: number): number {
  let found = 0;
  for (let at = text.indexOf(what); at >= 0 && found < limit; at = text.indexOf(what, at + 1)) found += 1;
  return found;
}
