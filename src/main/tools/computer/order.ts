/** By code units: the same order on every machine, whatever its language. */
export function byShown(a: { readonly shown: string }, b: { readonly shown: string }): number {
  if (a.shown === b.shown) return 0;
  return a.shown < b.shown ? -1 : 1;
}
