import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { link, lstat, rename, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inOpened } from './move-aside';

/**
 * Takes away what holds a place, also out of a folder that a command closed.
 * @param isOurs whether it is still that, as far as one look tells
 */
export async function removePlace(at: string, isOurs: (stats: Stats) => boolean): Promise<void> {
  const removing = async (): Promise<void> => {
    const stats = await lstat(at);
    if (!isOurs(stats)) return;
    if (stats.isDirectory()) await rmdir(at);
    else await removeFile(at, isOurs);
  };
  await removing().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES') throw error;
    return inOpened(dirname(at), removing);
  });
}

/** Somebody may put theirs there just now: it gets its name back, and takes it from nobody. */
async function removeFile(at: string, isOurs: (stats: Stats) => boolean): Promise<void> {
  const aside = join(dirname(at), `.sayso-${randomUUID()}`);
  await rename(at, aside);
  const stats = await lstat(aside);
  if (stats.isDirectory()) return rename(aside, at);
  if (!isOurs(stats)) await link(aside, at);
  await unlink(aside);
}

/** Takes away what was made just now, as far as it is still empty. */
export async function removeEmpty(at: string): Promise<void> {
  await rmdir(at).catch(() =>
    removeFile(at, (stats) => stats.isSocket() || (stats.isFile() && stats.size === 0)).catch(() => undefined),
  );
}
