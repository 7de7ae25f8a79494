/** A stretch of a text that must not be shown, as offsets of UTF-16 code units, and what it is. */
export interface Found {
  readonly start: number;
  readonly end: number;
  readonly what: string;
}

/** What stands where something was removed: what it was and how long, in UTF-16 code units. */
export function placeholder(what: string, length: number): string {
  return `⟦removed: ${what}, ${length} ${length === 1 ? 'character' : 'characters'}⟧`;
}

const PLACEHOLDER = /⟦removed: ([^⟦⟧\n]{1,120}), \d{1,9} characters?⟧/g;

/**
 * Where placeholders stand already. Only those with words from `vocabulary` count: anything may print the brackets, and
 * what stands between them is otherwise searched like any other text.
 */
export function placeholders(text: string, vocabulary: ReadonlySet<string>): Found[] {
  if (!text.includes('⟦')) return [];
  return [...text.matchAll(PLACEHOLDER)]
    .map((match) => ({ start: match.index, end: match.index + match[0].length, what: match[1] ?? '' }))
    .filter(({ what }) => vocabulary.has(what));
}

/** Overlapping stretches as one, in order. It is called after the one that stands first in `found`: put the surest first. */
export function merged(found: readonly Found[]): Found[] {
  const ranked = found.map((one, rank) => ({ ...one, rank })).sort((a, b) => a.start - b.start || a.rank - b.rank);
  const all: (Found & { rank: number })[] = [];
  for (const one of ranked) {
    const last = all.at(-1);
    if (last === undefined || one.start >= last.end) {
      all.push(one);
      continue;
    }
    const surest = one.rank < last.rank ? one : last;
    all[all.length - 1] = { ...surest, start: last.start, end: Math.max(last.end, one.end) };
  }
  return all.map(({ start, end, what }) => ({ start, end, what }));
}

/** What is left of each stretch outside `kept`; both in order and without overlaps. White space alone is not worth a word. */
export function without(text: string, found: readonly Found[], kept: readonly Found[]): Found[] {
  if (kept.length === 0) return [...found];
  const rest: Found[] = [];
  let next = 0;
  for (const { start, end, what } of found) {
    let from = start;
    while ((kept[next]?.end ?? Infinity) <= start) next++;
    for (let at = next; from < end; at++) {
      const hole = kept[at];
      const to = Math.min(end, Math.max(from, hole?.start ?? end));
      if (text.slice(from, to).trim() !== '') rest.push({ start: from, end: to, what });
      from = Math.max(from, hole === undefined ? end : hole.end);
    }
  }
  return rest;
}
