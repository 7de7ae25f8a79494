import type { Stats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';

/** So many names of a folder are looked at for one that has another spelling. */
const MAX_NAMES = 200;

/**
 * Whether two paths that differ only in how their names are spelled may mean the same on this disk. Where that cannot be
 * told they may.
 * @param one and `other` have equally many names
 */
export async function mayBeSame(one: string, other: string): Promise<boolean> {
  if (one === other) return true;
  if (process.platform !== 'linux') return true;
  const [names, others] = [one.split(sep), other.split(sep)];
  for (const [index, name] of names.entries()) {
    if (name === others[index]) continue;
    const folder = names.slice(0, index).join(sep) || sep;
    const [first, second] = await Promise.all([look(join(folder, name)), look(join(folder, others[index] ?? ''))]);
    if (first === null && second === null) return ignoresCase(folder);
    if (first === null || second === null || !isSame(first, second)) return false;
  }
  return true;
}

/** Whether the file system takes upper and lower case for the same in a folder; true where it cannot be told. */
async function ignoresCase(folder: string): Promise<boolean> {
  const names = await opendir(folder).catch(() => null);
  if (names === null) return dirname(folder) === folder ? true : ignoresCase(dirname(folder));
  let count = 0;
  for await (const { name } of names) {
    const swapped = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase();
    if (swapped !== name) {
      const [here, there] = [await look(join(folder, name)), await look(join(folder, swapped))];
      return here !== null && there !== null && isSame(here, there);
    }
    count += 1;
    if (count === MAX_NAMES) break;
  }
  return true;
}

const look = (path: string): Promise<Stats | null> => lstat(path).catch(() => null);

const isSame = (one: Stats, other: Stats): boolean => one.dev === other.dev && one.ino === other.ino;
