/** A stretch of something long, from one pixel to another. */
export type Range = readonly [from: number, to: number];

/** The stretches seen so far, apart from each other and in order, with one more. */
export function addRange(ranges: readonly Range[], [from, to]: Range): readonly Range[] {
  if (to <= from) return ranges;
  const apart = ranges.filter(([a, b]) => b < from || a > to);
  const touching = ranges.filter(([a, b]) => b >= from && a <= to);
  const joined: Range = [Math.min(from, ...touching.map(([a]) => a)), Math.max(to, ...touching.map(([, b]) => b))];
  return [...apart, joined].sort((one, other) => one[0] - other[0]);
}

/** What all of these have in common; empty (it ends before it begins) where there is nothing. */
export function intersection(ranges: readonly Range[]): Range {
  return [Math.max(...ranges.map(([from]) => from)), Math.min(...ranges.map(([, to]) => to))];
}

/** Where the first stretch begins that was not seen of `height` pixels; null when all of it was. */
export function firstGap(ranges: readonly Range[], height: number, slack: number): number | null {
  let seenTo = 0;
  for (const [from, to] of ranges) {
    if (from > seenTo + slack) break;
    seenTo = Math.max(seenTo, to);
  }
  return seenTo >= height - slack ? null : seenTo;
}
