import { randomInt } from 'node:crypto';
import type { Stats } from 'node:fs';
import { chmod, lstat, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What a refused file or folder is called afterwards, with a number where that is taken. */
const REFUSED = '.refused-by-sayso';
/** Numbers that are tried in turn before any: who fills them all up must not win by it. */
const FIRST_NUMBERS = 10;
const MAX_TRIES = 100;

/**
 * Gives what a command made another name.
 * @param place a path that leads to it in its folder, which the command may have closed
 * @returns whether it is not there any more
 */
export async function moveAside(place: string): Promise<boolean> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const number = tries < FIRST_NUMBERS ? tries : randomInt(FIRST_NUMBERS, 2 ** 40);
    const aside = `${place}${REFUSED}${number === 0 ? '' : `-${number}`}`;
    if ((await lstat(aside).catch(() => null)) !== null) continue;
    const failure = await renamed(place, aside);
    if (failure === null || failure === 'ENOENT') return true;
    if (failure === 'EACCES') return (await inOpened(dirname(place), () => renamed(place, aside))) === null;
  }
  return false;
}

/** @returns the code of what went wrong; null where it was renamed */
function renamed(from: string, to: string): Promise<string | null> {
  return rename(from, to).then(
    () => null,
    (error: NodeJS.ErrnoException) => error.code ?? '',
  );
}

/** Whether its owner cannot look into a folder, nor can a command of root, which has no capabilities. */
export const isShut = (stats: Stats | null | undefined): boolean =>
  stats?.isDirectory() === true && (stats.mode & 0o500) !== 0o500;

export async function openToOwner(folder: string): Promise<void> {
  const stats = await stat(folder);
  if (isShut(stats)) await chmod(folder, stats.mode | 0o700);
}

/** Does something in a folder that the command closed to its owner. */
export async function inOpened<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const { mode } = await stat(folder);
  await chmod(folder, mode | 0o300);
  try {
    return await work();
  } finally {
    await chmod(folder, mode).catch(() => undefined);
  }
}
