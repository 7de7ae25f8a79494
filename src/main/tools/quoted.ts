/** In characters: enough to find it again. */
const LONGEST = 80;

/** A name that a model spelled, in quotes, for an error; of a longer one the beginning. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);
}
