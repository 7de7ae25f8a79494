/**
 * How many calls of file tools work at once. Each holds up at most a few threads of the pool, for ever where a file
 * system does not answer: enough others have to stay for the rest of the app (see THREADS in desktop/thread-pool.ts).
 */
const LANES = 6;

let busy = 0;
const waiting: (() => void)[] = [];

/** Does work on files, when its turn has come. */
export async function inFileLane<T>(work: () => Promise<T>): Promise<T> {
  if (busy < LANES) busy += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    // The place goes on to the next one.
    if (next === undefined) busy -= 1;
    else next();
  }
}
