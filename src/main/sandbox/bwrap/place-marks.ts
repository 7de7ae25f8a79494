import type { PathLike, Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';

/**
 * A socket that nobody listens at: whoever opens it is told that nothing answers there (ENXIO), which programs take as
 * they take a missing file, and git does not see it. Git's own are what git expects: it takes an empty .git for none.
 */
export type PlaceKind = 'socket' | 'folder' | 'file';

/** Ours are told from those of others, after a crash too: nobody has a reason to make what cannot be written sticky. */
export const MODE = 0o1555;
/** And no socket is as old as this, in seconds since 1970. */
export const SOCKET_TIME = 1;

export const isMarked = (stats: Stats): boolean =>
  stats.isSocket() ? stats.mtimeMs === SOCKET_TIME * 1_000 : (stats.mode & 0o1222) === 0o1000;

/**
 * What holds a place there, of whatever app, as it was made; null where nothing does. A command can make the like, so this
 * is only for what it could not have made, or what is closed to it from then on.
 */
export async function heldBy(at: PathLike): Promise<Stats | null> {
  const stats = await lstat(at).catch(() => null);
  if (stats === null || !isMarked(stats)) return null;
  if (stats.isDirectory()) return (await readdir(at)).length === 0 ? stats : null;
  // By another name a file could be written to.
  return stats.isSocket() || (stats.isFile() && stats.size === 0 && stats.nlink === 1) ? stats : null;
}

/** As far as one look tells: what somebody wrote to is theirs, whatever mode it has. Of a folder only its removal tells. */
export const isUnused = (stats: Stats): boolean =>
  isMarked(stats) && (!stats.isFile() || (stats.size === 0 && stats.nlink === 1));

/** Whether a socket only holds the place of a file that is missing. */
export const holdsPlace = (stats: Stats): boolean => stats.isSocket() && isMarked(stats);

/** Whether what is there only holds the place of what is missing. */
export const isPlaceholder = async (at: PathLike): Promise<boolean> => (await heldBy(at)) !== null;
