import type { Entry } from './entries';

/** The entries of a new fold, and for each that is equal to one of before, that one: it is not drawn again. */
export function reuse(before: readonly Entry[], after: readonly Entry[]): readonly Entry[] {
  if (before.length === 0) return after;
  const known = new Map(before.map((entry) => [entry.key, entry]));
  return after.map((entry) => {
    const old = known.get(entry.key);
    return old !== undefined && isEqual(old, entry) ? old : entry;
  });
}

/** Entries are plain values. Those parts that came with an event are the same objects, and are not looked into. */
function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [left, right] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => isEqual(left[key], right[key]));
}
