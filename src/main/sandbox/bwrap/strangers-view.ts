import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Owner } from '../launch';
import type { Mount } from './mounts';

/** Whom the files of the system are read as. */
export interface Reader extends Owner {
  readonly groups: readonly number[];
}

/** For a folder in place of one that is closed to strangers, in bytes: nothing is to be put there. */
const EMPTY_BYTES = 4_096;

/**
 * What has to be closed so that a folder of the system looks as it does to a stranger: what only its owner or a group
 * may read, where the command would run as one of them. Capabilities do not count, the sandbox takes them away.
 * @param levels how many folders deep to look.
 */
export async function closedToStrangers(folder: string, reader: Reader, levels: number): Promise<Mount[]> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.map(async (name): Promise<Mount[]> => {
      const path = join(folder, name);
      const stats = await lstat(path).catch(() => null);
      if (stats === null || stats.isSymbolicLink()) return [];
      // Each one costs time at every start, and there is nothing in an empty one.
      if (stats.isFile() && stats.size === 0) return [];
      if (!stats.isDirectory())
        return !worldMay(stats, 4) && readerMay(stats, reader, 4) ? [{ kind: 'closed', path }] : [];
      if (!worldMay(stats, 5))
        return readerMay(stats, reader, 1) ? [{ kind: 'private', path, bytes: EMPTY_BYTES }] : [];
      return levels > 1 ? closedToStrangers(path, reader, levels - 1) : [];
    }),
  );
  return found.flat();
}

const worldMay = (stats: Stats, bits: number): boolean => (stats.mode & bits) === bits;

function readerMay(stats: Stats, reader: Reader, bits: number): boolean {
  if (stats.uid === reader.uid) return (stats.mode & (bits << 6)) !== 0;
  const inGroup = stats.gid === reader.gid || reader.groups.includes(stats.gid);
  return inGroup ? (stats.mode & (bits << 3)) !== 0 : false;
}

/** Whether this reader, without capabilities, gets through every folder on the way to a folder and can list it. */
export async function canEnter(path: string, reader: Reader): Promise<boolean> {
  let place = '';
  const parts = path.split('/').filter(Boolean);
  for (const [index, part] of parts.entries()) {
    place += `/${part}`;
    const stats = await lstat(place).catch(() => null);
    const bits = index === parts.length - 1 ? 5 : 1;
    if (stats === null || stats.isSymbolicLink() || !stats.isDirectory()) return false;
    const owns = stats.uid === reader.uid ? 6 : stats.gid === reader.gid || reader.groups.includes(stats.gid) ? 3 : 0;
    if (((stats.mode >> owns) & bits) !== bits) return false;
  }
  return true;
}
