import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { isProtectedName } from '../reach/protected';
import { holdsCredentials } from './names';

/** A folder in which there is more than this is not known well enough to be opened whole. */
const MAX_ENTRIES = 20_000;

/**
 * Whether a folder holds nothing that would keep it from being opened whole: no socket, pipe or device, nothing that is
 * known to hold credentials, and for writing nothing by which a person's tools run.
 * @param until when it is to be known, by performance.now(); what takes longer is not known
 * @returns false also where it cannot be told: too large, unreadable, too slow
 */
export async function isPlainInside(folder: string, kind: 'read' | 'write', until: number): Promise<boolean> {
  const left = [folder];
  let entries = 0;
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    for await (const entry of await opendir(place)) {
      entries += 1;
      if (entries > MAX_ENTRIES || performance.now() > until || !isPlain(entry, kind)) return false;
      // What a link leads to is not in the folder, so it is not opened with it.
      if (entry.isDirectory()) left.push(join(place, entry.name));
    }
  }
  return true;
}

function isPlain(entry: Dirent, kind: 'read' | 'write'): boolean {
  if (!entry.isFile() && !entry.isDirectory() && !entry.isSymbolicLink()) return false;
  return !holdsCredentials(entry.name) && (kind === 'read' || !isProtectedName(entry.name));
}
