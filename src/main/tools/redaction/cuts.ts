import type { KnownValues } from './known-values';
import type { Found } from './placeholder';

export const CUT_WORD = 'cut-off word that may be part of a secret';

/** What OutputCapture puts where the middle of an output is left out. */
const MARKER = /\[\.\.\. \d{1,16} bytes missing \.\.\.\]/g;

/**
 * An output has one such place, and a listing of outputs a few. A text with more was made to cost time; who makes one
 * knows the secret whole and could print it in any other way.
 */
const MOST_MARKERS = 64;

/** What stands where a line or a text was cut short: in titles and questions, in what a search finds, in a diff. */
const SHORTENED = /\u2026|\[\.\.\.(?: \d{1,16} more characters in this line)?\]/g;

/** Of those, the last ones: what is cut short ends there. */
const MOST_SHORTENED = 512;

/** Where Sayso cut a name or a question short: at the end, or before what it put behind a name. */
const SHORTENED_NAME = /\u2026(?=$|\u201d| \((?:fork|cleared)\b)/g;

/** The characters that tokens, keys and encodings consist of. */
const WORD = /[A-Za-z0-9_\-+/=.~%:@]/;
/** Of a longer word only the part next to the cut is removed, in characters. */
const LONGEST_WORD = 512;
const SHORTEST_WORD = 12;
/** A random word of twelve characters or more has at least so many different ones. */
const MIN_DIFFERENT = 7;

/**
 * The halves of secrets beside each place where the middle of an output was left out. Half a token has no shape, so
 * there a word that could be random goes, whatever it is. `plain` is `text` with escapes spelled out, place by place.
 */
export function cutSecrets(text: string, plain: string, known: KnownValues): Found[] {
  return [...text.matchAll(MARKER)].slice(0, MOST_MARKERS).flatMap((marker) => {
    const before = lineBreak(text, plain, marker.index, -1);
    const after = lineBreak(text, plain, marker.index + marker[0].length, 1);
    return [...endOfHead(text, plain, before, known), ...startOfTail(text, plain, after, known)];
  });
}

/** The known values that are broken off where something was cut short. A word there may just be a word, and stays. */
export function shortenedValues(text: string, known: KnownValues): Found[] {
  if (known.longest === 0) return [];
  return [...text.matchAll(SHORTENED)].slice(-MOST_SHORTENED).flatMap(({ 0: mark, index }) => {
    const end = mark.startsWith('[') && text[index - 1] === ' ' ? index - 1 : index;
    const from = Math.max(0, end - known.edge);
    const head = known.brokenOff(text.slice(from, end));
    const before = head === null ? [] : [{ ...head, start: from + head.start, end }];
    if (!mark.startsWith('[')) return before;
    const start = index + mark.length + (text[index + mark.length] === ' ' ? 1 : 0);
    const tail = known.brokenInto(text.slice(start, start + known.edge));
    return tail === null ? before : [...before, { ...tail, start, end: start + tail.end }];
  });
}

/** The halves of secrets in names and questions that Sayso cut short: half a token has no shape there, either. */
export function shortenedNames(text: string, known: KnownValues): Found[] {
  return [...text.matchAll(SHORTENED_NAME)]
    .slice(-MOST_MARKERS)
    .flatMap(({ index }) => endOfHead(text, text, index, known));
}

/** The half of a secret that a text which was cut off ends in. */
export function cutAtEnd(text: string, known: KnownValues): Found[] {
  return endOfHead(text, text, text.length, known);
}

function endOfHead(text: string, plain: string, end: number, known: KnownValues): Found[] {
  const from = Math.max(0, end - known.edge);
  const value = known.brokenOff(text.slice(from, end));
  let start = end;
  while (start > Math.max(0, end - LONGEST_WORD) && WORD.test(plain[start - 1] ?? '')) start--;
  return [
    ...(value === null ? [] : [{ ...value, start: from + value.start, end }]),
    ...(looksRandom(plain.slice(start, end)) ? [{ start, end, what: CUT_WORD }] : []),
  ];
}

function startOfTail(text: string, plain: string, start: number, known: KnownValues): Found[] {
  const value = known.brokenInto(text.slice(start, start + known.edge));
  let end = start;
  while (end < Math.min(text.length, start + LONGEST_WORD) && WORD.test(plain[end] ?? '')) end++;
  return [
    ...(value === null ? [] : [{ ...value, start, end: start + value.end }]),
    ...(looksRandom(plain.slice(start, end)) ? [{ start, end, what: CUT_WORD }] : []),
  ];
}

/** Beyond the one line break, plain or escaped, that the marker itself brought. */
function lineBreak(text: string, plain: string, at: number, step: 1 | -1): number {
  const near = step === 1 ? at : at - 1;
  if (plain[near] !== '\n') return at;
  return at + step * (text[near] === '\n' ? 1 : 2);
}

function looksRandom(word: string): boolean {
  if (word.length < SHORTEST_WORD || new Set(word).size < MIN_DIFFERENT) return false;
  return [/[a-z]/, /[A-Z]/, /[0-9]/].filter((kind) => kind.test(word)).length >= 2;
}
