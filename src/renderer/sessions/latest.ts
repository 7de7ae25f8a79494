/**
 * Does something with the newest of what it is given: at once while nothing is under way, otherwise when that has ended.
 * What came between is left out, so that however fast one types, one request is under way and the last one is answered.
 */
export function latest<T>(work: (input: T) => Promise<void>): (input: T) => void {
  let next: { readonly input: T } | null = null;
  let busy = false;
  const run = async () => {
    busy = true;
    try {
      while (next !== null) {
        const { input } = next;
        next = null;
        await work(input);
      }
    } finally {
      busy = false;
    }
  };
  return (input) => {
    next = { input };
    if (!busy) void run();
  };
}
