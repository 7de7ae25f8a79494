/**
 * The scripts in everyday use (UAX #31, table 5). Japanese, Chinese with phonetics, and Korean are each written in
 * several, and with Latin names in between: UTS #39 calls that "highly restrictive" and takes it for one script.
 */
const WRITTEN_TOGETHER = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];

const ALONE =
  'Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Kannada Khmer Lao ' +
  'Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan';

const SETS = [...WRITTEN_TOGETHER, ...ALONE.split(' ').map((script) => [script])];

const NEUTRAL = '\\p{scx=Common}\\p{scx=Inherited}';

const patterns = SETS.map((set) => new RegExp(`^[${NEUTRAL}${set.map((name) => `\\p{scx=${name}}`).join('')}]*$`, 'u'));

const neutral = new RegExp(`[${NEUTRAL}]`, 'u');
const everyday = new RegExp(`[${[...new Set(SETS.flat())].map((name) => `\\p{scx=${name}}`).join('')}]`, 'u');

/** Whether one name is written in letters of scripts that nobody writes together, for example Latin and Cyrillic. */
export function isMixedScript(name: string): boolean {
  if (patterns.some((pattern) => pattern.test(name))) return false;
  // Scripts of scholars and small communities are told apart from the everyday ones, not from each other.
  return [...name].some((character) => everyday.test(character) && !neutral.test(character));
}
