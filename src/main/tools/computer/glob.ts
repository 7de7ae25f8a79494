/** Longer ones are no patterns that anyone writes; the time to match grows with the length. */
export const MAX_GLOB_LENGTH = 200;

/**
 * Whether a path, with `/` between its parts, fits a pattern: `*` is any run of characters within one part, `?` one
 * character of a part, and `**` as a whole part is any number of parts, also none. A pattern without `/` is matched
 * against the last part alone. Its time is bounded by the product of both lengths, whatever the pattern.
 */
export function matchesGlob(glob: string, path: string): boolean {
  const parts = path.split('/');
  if (!glob.includes('/')) return matchesPart(glob, parts.at(-1) ?? '');
  return matchesSequence(glob.replace(/^\//, '').split('/'), parts, (part) => part === '**', matchesPart);
}

const matchesPart = (pattern: string, part: string): boolean =>
  matchesSequence(
    [...pattern],
    [...part],
    (char) => char === '*',
    (char, other) => char === '?' || char === other,
  );

/** Matches item by item, where a wildcard stands for any number of items. */
function matchesSequence(
  pattern: readonly string[],
  items: readonly string[],
  isWildcard: (item: string) => boolean,
  fits: (item: string, other: string) => boolean,
): boolean {
  // Row by row: reached[j] says whether the pattern so far can match the first j items.
  let reached = [true, ...items.map(() => false)];
  for (const item of pattern) {
    const next: boolean[] = [isWildcard(item) && reached[0] === true];
    items.forEach((other, index) => {
      const here = isWildcard(item)
        ? next[index] === true || reached[index + 1] === true
        : reached[index] === true && fits(item, other);
      next.push(here);
    });
    reached = next;
  }
  return reached.at(-1) === true;
}
