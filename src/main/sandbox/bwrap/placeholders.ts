import { constants, readFileSync, type Stats } from 'node:fs';
import { lstat, mkdir, open, readdir, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { covers, depth, waysUp } from '../paths';
import { protectedPaths } from '../reach/protected';
import { inFolder, inFolderOf } from './in-folder';
import { lookDown, type Seen } from './look-down';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

type Kind = 'folder' | 'file';

/**
 * The mode of ours: nobody but root can put anything in, and it is told after a crash from what is somebody else's,
 * who has no reason to make what cannot be written sticky.
 */
const MODE = 0o1555;
const isMarked = (stats: Stats): boolean => (stats.mode & 0o1222) === 0o1000;

/** How many commands need each. */
const placed = new Map<string, number>();
/** One after the other: between a look and the placing nobody may take away. */
let queue: Promise<unknown> = Promise.resolve();

export function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const result = queue.then(work);
  queue = result.catch(() => undefined);
  return result;
}

/**
 * What is put there, empty, while a command runs and it is missing, so that it can be closed. All but git's settings are
 * folders: git takes an empty one for nothing, and commits none; programs that read a file of that name pass it over.
 * @param more absolute, or relative to the workspace
 */
function kindsIn(workspace: string, more: readonly string[]): ReadonlyMap<string, Kind> {
  const git = join(workspace, '.git');
  const others = protectedPaths(workspace, [], more).filter((path) => !covers(git, path));
  return new Map<string, Kind>([
    [git, 'folder'],
    [join(git, 'hooks'), 'folder'],
    [join(git, 'config'), 'file'],
    ...others.map((path) => [path, 'folder'] as const),
  ]);
}

/**
 * Puts something in the place of what is missing and has a folder to be in, as far as we can write there: where we
 * cannot, a command cannot either, as it runs as we do.
 * @param looking what is there. In the workspace itself nobody waits for it: what is there keeps its place
 * @param isAlone whether no other command can write there now
 * @returns the paths that are placeholders now, to be released when the command has ended
 */
export async function placeMissing(
  writable: readonly [workspace: string, ...beyond: string[]],
  more: readonly string[],
  looking: Promise<Seen>,
  isAlone: boolean,
): Promise<string[]> {
  const [workspace] = writable;
  const kinds = [...kindsIn(workspace, more)];
  const near = kinds.filter(([path]) => dirname(path) === workspace);
  const used = await placeSiblings(writable, near, isAlone);
  const seen = await looking.catch(() => null);
  const isMissing = (path: string): boolean => placed.has(path) || isFree(seen?.get(path) ?? null);
  const far = kinds.filter(([path]) => dirname(path) !== workspace && isMissing(path));
  // What lies in another one comes after it.
  for (const level of groups(far, ([path]) => depth(path))) {
    for (const siblings of groups(level, ([path]) => dirname(path))) {
      used.push(...(await placeSiblings(writable, siblings, isAlone)));
    }
  }
  return used;
}

const isFree = (stats: Stats | null): boolean => stats === null || isMarked(stats);

async function placeSiblings(
  writable: readonly string[],
  siblings: readonly (readonly [string, Kind])[],
  isAlone: boolean,
): Promise<string[]> {
  const folder = dirname(siblings[0]?.[0] ?? '');
  // Inside an empty placeholder there is nothing to place.
  if (waysUp(folder).some((path) => placed.has(path))) return [];
  return (await at(writable, folder, isAlone, (place) => placeAll(place, siblings)).catch(() => null)) ?? [];
}

/** To hold a folder takes as long as all the rest; where nobody can exchange it meanwhile, its path is as good. */
function at<T>(
  writable: readonly string[],
  folder: string,
  isAlone: boolean,
  work: (place: string) => Promise<T>,
): Promise<T | null> {
  return isAlone && writable.includes(folder) ? work(folder) : inFolder(writable, folder, work);
}

/** @returns those that are ours now */
async function placeAll(folder: string, siblings: readonly (readonly [string, Kind])[]): Promise<string[]> {
  const ours = await Promise.all(
    siblings.map(([path, kind]) => placed.has(path) || make(join(folder, basename(path)), kind)),
  );
  const paths = siblings.flatMap(([path], index) => (ours[index] ? [path] : []));
  for (const path of paths) placed.set(path, (placed.get(path) ?? 0) + 1);
  return paths;
}

/** @returns whether it is there and ours: just made, or left by an app that was killed */
async function make(at: string, kind: Kind): Promise<boolean> {
  try {
    if (kind === 'folder') await mkdir(at, MODE);
    else await open(at, 'wx', MODE & ~0o111).then((file) => file.close());
    // It holds the place all the same.
    if (masked() !== 0) await unmask(at, kind).catch(() => undefined);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST' && isPlaceholder(at).catch(() => false);
  }
}

/**
 * What the app's own mask takes from MODE. It only matters to an app of root, whose command may be another user's: that
 * one would stumble over what it cannot look into.
 */
function masked(): number {
  if (process.getuid?.() !== 0) return 0;
  // Answered from memory, and at once. process.umask() would set it for a moment.
  const mask = /^Umask:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '0';
  return MODE & Number.parseInt(mask, 8);
}

/** Never through a link that a command put in its place meanwhile. */
async function unmask(at: string, kind: Kind): Promise<void> {
  const file = await open(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | (kind === 'folder' ? O_DIRECTORY : 0));
  try {
    await file.chmod(kind === 'folder' ? MODE : MODE & ~0o111);
  } finally {
    await file.close();
  }
}

/** Whether it is one that holds a place, of whatever app, as it was made. */
export async function isPlaceholder(at: string): Promise<boolean> {
  const stats = await lstat(at);
  if (!isMarked(stats)) return false;
  return stats.isDirectory() ? (await readdir(at)).length === 0 : stats.isFile() && stats.size === 0;
}

/**
 * Takes away what no command needs any more.
 * @param isAlone whether no other command can write there now
 * @returns where something still is: what could not be taken away, or what is in its place by now
 */
export async function releasePlaced(
  writable: readonly string[],
  paths: readonly string[],
  isAlone: boolean,
): Promise<string[]> {
  const idle = paths.filter((path) => {
    const uses = placed.get(path) ?? 0;
    if (uses > 1) placed.set(path, uses - 1);
    else placed.delete(path);
    return uses <= 1;
  });
  const left = await Promise.all(
    groups(idle, (path) => dirname(path)).map(async (siblings) => {
      const folder = dirname(siblings[0] ?? '');
      const removeAll = (place: string) => Promise.all(siblings.map((path) => remove(join(place, basename(path)))));
      const gone = await at(writable, folder, isAlone, removeAll).catch(() => null);
      return siblings.filter((_, index) => gone?.[index] === false);
    }),
  );
  return left.flat();
}

/** @returns whether nothing is there any more */
async function remove(place: string): Promise<boolean> {
  try {
    // Most are folders, and only one that is empty goes.
    await rmdir(place);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || (code === 'ENOTDIR' && takeAway(place).catch(() => false));
  }
}

/** @returns whether it was one, and is gone */
export async function takeAway(at: string): Promise<boolean> {
  if (!(await isPlaceholder(at))) return false;
  await rmdir(at).catch(() => unlink(at));
  return true;
}

/**
 * Takes away what an app that was killed has left in a workspace. What a command of this app needs by now stays.
 * @param workspace a real path
 */
export async function removeLeft(workspace: string): Promise<void> {
  const paths = [...kindsIn(workspace, []).keys()];
  // Not in turn: it may be where nobody answers.
  const seen = await lookDown([workspace], paths);
  for (const path of paths) {
    const stats = seen.get(path) ?? null;
    if (stats === null || !isMarked(stats)) continue;
    await inTurn(async () => {
      if (placed.has(path)) return;
      await inFolderOf([workspace], path, takeAway);
    });
  }
}

/** In the order of their keys. */
function groups<T, K extends string | number>(items: readonly T[], keyOf: (item: T) => K): T[][] {
  const found = new Map<K, T[]>();
  for (const item of items) found.set(keyOf(item), [...(found.get(keyOf(item)) ?? []), item]);
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}
