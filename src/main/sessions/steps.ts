import { setTimeout as wait } from 'node:timers/promises';
import type { SessionId } from '@shared/ids';
import type { SqliteDatabase } from './database';

/** How long a transaction of the worker may hold the write lock, and how many rows go in one at most. */
const STEP_MS = 25;
export const STEP_ROWS = 500;

/**
 * The same for rows that are taken away. The search index needs half a millisecond to three for each, and more the fewer
 * there are at once; how long it is here, the first ones tell.
 */
const REMOVAL_MS = 150;
const FIRST_REMOVAL = 100;

/** Sessions that this process is just making. They are marked as deleted until they are whole; nobody may clear them. */
const MAKING = new Map<string, Set<SessionId>>();

/** Of one store, whichever connection to it is used: an id is only unique within its store. */
export function inTheMaking(database: SqliteDatabase): Set<SessionId> {
  const sessions = MAKING.get(database.name) ?? new Set<SessionId>();
  MAKING.set(database.name, sessions);
  return sessions;
}

/**
 * Writes rows in short transactions. Between two of them the lock is free for about as long as it was held: whoever
 * appends to a journal meanwhile looks for it again and again, and must not find it taken each time.
 */
export async function writeInSteps<T>(
  database: SqliteDatabase,
  rows: Iterable<T>,
  write: (row: T) => void,
): Promise<void> {
  const iterator = rows[Symbol.iterator]();
  let next = iterator.next();
  const step = database.transaction(() => {
    const until = performance.now() + STEP_MS;
    for (let count = 0; count < STEP_ROWS && next.done !== true; count += 1) {
      write(next.value);
      next = iterator.next();
      if (performance.now() > until) return;
    }
  });
  while (next.done !== true) await thenPause(() => step.immediate());
}

/**
 * Does again and again what takes a number of rows, until it says that there were none; the number follows from how long
 * it took.
 */
export async function repeatInSteps(take: (limit: number) => number, done: (count: number) => void): Promise<void> {
  for (let limit = FIRST_REMOVAL; ; ) {
    let count = 0;
    const tookMs = await thenPause(() => {
      count = take(limit);
    });
    if (count === 0) return;
    done(count);
    if (tookMs > REMOVAL_MS) limit = Math.max(1, Math.floor(limit / 2));
    else if (tookMs < REMOVAL_MS / 3) limit = Math.min(STEP_ROWS, limit * 2);
  }
}

/** The length of a pause is left to chance, so that it never keeps step with one who looks at fixed times. */
async function thenPause(work: () => void): Promise<number> {
  const begun = performance.now();
  work();
  const tookMs = performance.now() - begun;
  await wait(tookMs * (0.5 + Math.random()));
  return tookMs;
}
