/** Choices that are the same every time. */
export interface Chance {
  /** From 0 up to 1. */
  readonly number: () => number;
  /** True in so many of one. */
  readonly in: (part: number) => boolean;
  readonly pick: <T>(items: readonly T[]) => T;
  /** Words of which few are common and most are rare, as in any language. */
  readonly words: (count: number) => string;
}

/** So many different words there are. */
const VOCABULARY = 20_000;

// Of such parts: words then begin alike as often as those of a language do, which is what a search for beginnings meets.
const SYLLABLES =
  'a be ca con de di e en fo ga i in ka la le lo ma me mi mo na ne no o pa pe per po pro ra re ri ro sa se si so sta su ta te ter ti to tra u un ve vi wa za'.split(
    ' ',
  );

/** The word that is the so manieth most common; 0 is the most common of all. */
export function wordOf(rank: number): string {
  // Scattered, so that common words do not all begin with the same letters; 20,011 is prime.
  let number = ((rank + 1) * 7_919) % 20_011;
  let word = '';
  do {
    word += SYLLABLES[number % SYLLABLES.length];
    number = Math.floor(number / SYLLABLES.length);
  } while (number > 0);
  return word;
}

export function chanceOf(number: () => number): Chance {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(number() * items.length)] as T;
  const words = (count: number) =>
    Array.from({ length: count }, () => wordOf(Math.floor(VOCABULARY ** number()) - 1)).join(' ');
  return { number, in: (part) => number() < part, pick, words };
}
