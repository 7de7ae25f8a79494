import { lstat, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { covers, foldersBetween } from '../paths';
import { Unseen } from '../reach/unseen';

/** What is there, by its path; null for nothing. */
export type Seen = ReadonlyMap<string, Stats | null>;

/** The outermost of the writable folders that a path lies in. */
export function writableAbove(writable: readonly string[], path: string): string | null {
  const above = writable.filter((folder) => covers(folder, path));
  return above.reduce<string | null>(
    (outer, folder) => (outer === null || covers(folder, outer) ? folder : outer),
    null,
  );
}

/**
 * Looks at paths in what a command can write, and at the folders on the way to them, without following a link: what a
 * command put on the way must not lead us elsewhere. Behind a link there is therefore nothing; of what lies in none of
 * the folders nothing is said.
 * @throws Unseen where it cannot be seen what is there
 */
export async function lookDown(writable: readonly string[], paths: readonly string[]): Promise<Seen> {
  const seen = new Map<string, Stats | null>();
  const ways = paths.map((path) => wayTo(writable, path));
  const longest = Math.max(0, ...ways.map((way) => way.length));
  for (let level = 0; level < longest; level++) {
    const places = [
      ...new Set(ways.flatMap((way) => (level > 0 && !isOpen(way[level - 1], seen) ? [] : (way[level] ?? [])))),
    ];
    // All of them together take as long as one.
    const found = await Promise.all(places.map(lookAt));
    for (const [index, place] of places.entries()) seen.set(place, found[index] ?? null);
  }
  for (const place of ways.flat()) if (!seen.has(place)) seen.set(place, null);
  return seen;
}

const isOpen = (folder: string | undefined, seen: Seen): boolean =>
  folder !== undefined && seen.get(folder)?.isDirectory() === true;

/** The places from the folder on that has to be begun in, that one left out. */
function wayTo(writable: readonly string[], path: string): string[] {
  const above = writableAbove(writable, path);
  return above === null ? [] : [...foldersBetween(above, path), path];
}

/** What there cannot be anything behind. Any other answer, as from a folder that is shut, says nothing about what is there. */
const NOTHING: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR']);

function lookAt(path: string): Promise<Stats | null> {
  // The promise of node:fs/promises costs twice as much.
  return new Promise((resolve, reject) =>
    lstat(path, (error, stats) => {
      if (error === null) resolve(stats);
      else if (NOTHING.has(error.code)) resolve(null);
      else reject(unseen(path, error));
    }),
  );
}

const unseen = (path: string, { code }: NodeJS.ErrnoException): Unseen =>
  new Unseen(
    `${path} is protected, and whether it is there cannot be seen (${code}): open ${dirname(path)} (chmod u+rwx)`,
  );

/** What stands in a path's place: itself, or the link on the way to it; null for nothing. */
export function standsAt(
  writable: readonly string[],
  path: string,
  seen: Seen,
): { readonly path: string; readonly stats: Stats } | null {
  for (const place of wayTo(writable, path)) {
    const stats = seen.get(place) ?? null;
    if (stats === null) return null;
    if (place === path || stats.isSymbolicLink()) return { path: place, stats };
  }
  return null;
}
