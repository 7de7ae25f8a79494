/** A sum of counts that stays a whole number which is exact, whatever is added: it stops at the last of them. */
export function sumOf(...counts: readonly number[]): number {
  return Math.min(
    Number.MAX_SAFE_INTEGER,
    counts.reduce((sum, count) => sum + count, 0),
  );
}
