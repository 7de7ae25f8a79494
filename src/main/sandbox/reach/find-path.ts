import { lstat, readlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, parse, sep } from 'node:path';

/** A path of the agent file, found on the disk. */
export interface FoundPath {
  readonly given: string;
  readonly real: string;
  /** Where the links lie that lead there. */
  readonly links: readonly string[];
}

/** As many links as Linux follows in one path. */
const MAX_LINKS = 40;

/** Where an absolute path leads, and through which links; null where there is nothing. */
export async function findPath(given: string): Promise<FoundPath | null> {
  const links: string[] = [];
  let real = parse(given).root;
  const rest = partsOf(given);
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    const place = name === '..' ? dirname(real) : join(real, name);
    const stats = await lstat(place).catch(() => null);
    if (stats === null) return null;
    if (!stats.isSymbolicLink()) {
      real = place;
      continue;
    }
    const target = links.push(place) > MAX_LINKS ? null : await readlink(place).catch(() => null);
    if (target === null) return null;
    if (isAbsolute(target)) real = parse(target).root;
    rest.unshift(...partsOf(target));
  }
  return { given, real, links };
}

const partsOf = (path: string): string[] =>
  path
    .slice(parse(path).root.length)
    .split(sep)
    .filter((part) => part !== '' && part !== '.');

/** Those of the paths that are there, one after the other: a file system that does not answer holds up one thread. */
export async function findPaths(paths: readonly string[]): Promise<FoundPath[]> {
  const found: FoundPath[] = [];
  for (const path of paths) {
    const one = await findPath(path);
    if (one !== null) found.push(one);
  }
  return found;
}
