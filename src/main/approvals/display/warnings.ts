import type { DisplaySegment } from '@shared/requests';
import { lookOf, skeleton } from './confusables';
import type { KnownNames } from './known-names';
import { isMixedScript } from './scripts';

const BIDI_CONTROL = /\p{Bidi_Control}/u;

/**
 * The ranges whose default Bidi_Class is R or AL (DerivedBidiClass.txt). Right-to-left letters reorder their neighbours
 * without any control character, so a reader has to be told even though nothing is hidden.
 */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A run of letters, marks and digits: what a reader takes for one name. */
const NAME = /[\p{L}\p{M}\p{N}_]+/gu;

/** What stands between words, for a shell or for a reader. A program's name is looked for between two of these. */
const DELIMITER = /[\s;|&<>()[\]{}"'`$=,:/\\@*?!~#%^]/;

/**
 * The labels of a text, worst first, each at most once:
 * `hidden` (something had to be escaped), `terminal` (a terminal would obey a part of it), `bidi` (controls that
 * reorder text), `rtl` (letters that reorder text), `mixed-script` (one name in letters of several scripts),
 * `lookalike:SKELETON` (a word that is not ASCII and looks like a known name).
 */
export function warningsFor(text: string, segments: readonly DisplaySegment[], known: KnownNames): string[] {
  const warnings: string[] = [];
  if (segments.some((segment) => segment.escape)) warnings.push('hidden');
  if (isAscii(text)) {
    if (text.includes('\u001b')) warnings.push('terminal');
    return warnings;
  }
  if (hasTerminalControl(text)) warnings.push('terminal');
  if (BIDI_CONTROL.test(text)) warnings.push('bidi');
  // What was escaped stands visibly between two names, so only what is shown as it is can pass for another name.
  const shown = segments.filter((segment) => !segment.escape && !isAscii(segment.text)).map((segment) => segment.text);
  if (shown.some((part) => RIGHT_TO_LEFT.test(part))) warnings.push('rtl');
  if (shown.some((part) => names(part).some(isMixedScript))) warnings.push('mixed-script');
  const lookalikes = new Set(shown.flatMap((part) => lookalikesIn(part, known)));
  return [...warnings, ...[...lookalikes].map((name) => `lookalike:${name}`)];
}

/** ESC and the C1 controls, which are its eight-bit forms. */
function hasTerminalControl(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === 0x1b || (unit >= 0x80 && unit < 0xa0)) return true;
  }
  return false;
}

function names(text: string): string[] {
  return (text.match(NAME) ?? []).filter((name) => !isAscii(name));
}

/** Skeletons of the words that hold something other than ASCII and look like a known name. */
function lookalikesIn(text: string, known: KnownNames): string[] {
  const found: string[] = [];
  let look = '';
  let foreign = false;
  const endWord = () => {
    const candidate = foreign ? skeleton(look) : '';
    if (known.has(candidate)) found.push(candidate);
    look = '';
    foreign = false;
  };
  for (const character of text) {
    const alike = lookOf(character);
    if (DELIMITER.test(alike)) {
      endWord();
      continue;
    }
    look += alike;
    foreign ||= !isAscii(character);
  }
  endWord();
  return found;
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) >= 0x80) return false;
  }
  return true;
}
