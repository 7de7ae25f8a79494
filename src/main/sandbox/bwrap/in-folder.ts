import { constants } from 'node:fs';
import { type FileHandle, open, readlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { foldersBetween } from '../paths';
import { writableAbove } from './look-down';

const { O_DIRECTORY, O_NOFOLLOW } = constants;
/** Linux: a descriptor that stands for a place, without the right to read there (open(2)). Node does not name it. */
export const O_PATH = 0o10000000;
/** There is no such folder, or something else has its place. */
const GONE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/**
 * Does something in a folder that a command can write to, held open as it is: it is reached from the writable folder
 * above it, never through a link. By its path we might be led to what the command cannot reach.
 * @param work is given a path that leads to this very folder
 * @returns null where the folder is not there
 */
export async function inFolder<T>(
  writable: readonly string[],
  folder: string,
  work: (place: string) => Promise<T>,
): Promise<T | null> {
  const above = writableAbove(writable, folder);
  if (above === null) return null;
  const held: FileHandle[] = [];
  const hold = async (path: string): Promise<string> => {
    const handle = await open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    held.push(handle);
    return `/proc/self/fd/${handle.fd}`;
  };
  try {
    let place = await hold(above);
    // What was put in the place of a folder above it is another folder.
    if ((await readlink(place)) !== above) return null;
    const below = folder === above ? [] : [...foldersBetween(above, folder), folder];
    for (const next of below) place = await hold(join(place, basename(next)));
    return await work(place);
  } catch (error) {
    if (GONE.has((error as NodeJS.ErrnoException).code)) return null;
    throw error;
  } finally {
    for (const handle of held) await handle.close();
  }
}

/** The same for what has a path: `work` is given a path that leads to it, in its folder. */
export function inFolderOf<T>(
  writable: readonly string[],
  path: string,
  work: (place: string) => Promise<T>,
): Promise<T | null> {
  return inFolder(writable, dirname(path), (folder) => work(join(folder, basename(path))));
}
