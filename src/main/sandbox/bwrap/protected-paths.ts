import { lstat, mkdir, open, readlink, realpath, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { foldersBetween, waysUp } from '../paths';
import { placeBehindLinks } from '../reach/behind-links';
import { protectedPaths } from '../reach/protected';
import { type Repository, repositoriesIn } from '../reach/repositories';
import { environmentVariants } from '../reach/variants';
import { inFolderOf } from './in-folder';
import { lookDown, type Seen, standsAt, writableAbove } from './look-down';
import type { Mount } from './mounts';
import { mayBeWritten } from './sentinel';

/**
 * Where something that is missing is put there, empty, for as long as a command runs, so that it can be closed. Only
 * for what would run code at once, and what nobody notices while it is empty: git takes an empty .git for none. What
 * lies in another one comes after it.
 */
const PLACEHOLDERS = [{ '.git': 'folder' }, { '.git/hooks': 'folder', '.git/config': 'file' }] as const;

/** What is to be kept from a command, as far as the file system could be prepared for it. */
export interface Protection {
  /** What a command can write, the workspace first. */
  readonly writable: readonly string[];
  readonly mounts: readonly Mount[];
  /** What cannot be changed, with all in it. */
  readonly closed: ReadonlySet<string>;
  /** Not there yet, and nothing can be closed that is not there: to be looked for while and after the command runs. */
  readonly absent: readonly string[];
  /** Links in place of a protected path, with what they say. They cannot be closed either. */
  readonly links: ReadonlyMap<string, string>;
  /** The folders on the way to all of them, from the outermost on, and whether each is there. */
  readonly folders: ReadonlyMap<string, boolean>;
  /** All that git gets to from what can be written. */
  readonly repositories: ReadonlyMap<string, Repository>;
  /** Those that were looked for. */
  readonly nested: readonly string[];
  /** The variants of `.env` that are there. */
  readonly variants: ReadonlySet<string>;
  /** Takes away again what was put there. */
  release(): Promise<void>;
}

/** How many commands need each placeholder. */
const placed = new Map<string, number>();
/** One after the other: between a look and the placing nobody may take away. */
let queue: Promise<unknown> = Promise.resolve();

function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const result = queue.then(work);
  queue = result.catch(() => undefined);
  return result;
}

/**
 * Prepares the protection of paths in what a command can write.
 * @param writable real paths, the workspace first
 * @param more absolute, or relative to the workspace.
 * @param nested repositories in all of this, by the tops of their working trees
 * @throws Error with words for model and operator, where a protected path leads out through a link
 */
export function protectPaths(
  writable: readonly [workspace: string, ...beyond: string[]],
  more: readonly string[],
  nested: readonly string[] = [],
): Promise<Protection> {
  const [workspace] = writable;
  return inTurn(async () => {
    const reading = mayBeWritten(writable) ? 'anew' : 'known';
    const always = protectedPaths(workspace, [usual(workspace)], more);
    const look = () =>
      Promise.all([
        repositoriesIn(writable, nested, reading),
        environmentVariants(workspace),
        lookDown(writable, always),
      ]);
    const before = await look();
    const used = await placeMissing(workspace, before[2]);
    try {
      const [repositories, variants, most] = used.length === 0 ? before : await look();
      const named = [...protectedPaths(workspace, repositories.values(), more), ...variants];
      const others = named.filter((path) => !most.has(path));
      const seenNamed = new Map([...most, ...(await lookDown(writable, others))]);
      const foundNamed = await Promise.all(named.map((path) => inspect(writable, path, seenNamed)));
      const behind = await missingBehindLinks(writable, foundNamed);
      const wanted = [...named, ...behind];
      const seen = behind.length === 0 ? seenNamed : new Map([...seenNamed, ...(await lookDown(writable, behind))]);
      const found = [...foundNamed, ...(await Promise.all(behind.map((path) => inspect(writable, path, seen))))];
      const closed = new Set(found.flatMap(({ real }) => (real === null ? [] : [real])));
      // Those of other commands, in a repository of theirs inside of what this one can write, stay as long as this one runs.
      for (const path of closed) {
        if (!placed.has(path) || used.includes(path)) continue;
        placed.set(path, (placed.get(path) ?? 0) + 1);
        used.push(path);
      }
      // A placeholder for all of .git has nothing in it to close.
      for (const path of used) closed.add(path);
      const isClosed = (path: string): boolean => waysUp(path).some((place) => closed.has(place));
      const links = found.flatMap(({ link }) => (link === null ? [] : [link]));
      const above = (paths: readonly string[]): string[] => [
        ...new Set(paths.flatMap((path) => writable.flatMap((folder) => foldersBetween(folder, path)))),
      ];
      const pins = above([...closed, ...writable, ...links.map(({ path }) => path)]).filter((path) => !isClosed(path));
      return {
        writable,
        mounts: [
          // Something is mounted on these, so that they can be neither renamed nor replaced.
          ...pins.map((path): Mount => ({ kind: 'write', path })),
          ...[...closed].map((path): Mount => ({ kind: 'read', path })),
        ],
        absent: found
          .filter(({ path, real, link }) => real === null && link === null && writableAbove(writable, path) !== null)
          .map(({ path }) => path),
        closed,
        links: new Map(links.map(({ path, target }) => [path, target])),
        folders: new Map(above(wanted).map((path) => [path, seen.get(path)?.isDirectory() === true])),
        repositories,
        nested,
        variants: new Set(variants),
        release: () => inTurn(() => release(writable, used)),
      };
    } catch (error) {
      await release(writable, used);
      throw error;
    }
  });
}

/** What most workspaces have, so that it is looked at while it is not known yet what this one has. */
const usual = (root: string): Repository => ({
  root,
  folders: [join(root, '.git')],
  trees: [],
  tops: new Map(),
  entries: [],
  links: [],
  unread: null,
  versions: new Map(),
});

/** Where links lead in place of protected paths, if nothing is there yet: what comes to be there would be the protected path. */
async function missingBehindLinks(writable: readonly string[], found: readonly Inspected[]): Promise<string[]> {
  const dangling = found.flatMap(({ path, real, link }) => (link !== null && real === null ? [path] : []));
  const places = await Promise.all(dangling.map((path) => placeBehindLinks(path)));
  const isNew = (path: string): boolean => found.every((one) => one.path !== path);
  return [...new Set(places.flatMap((path) => path ?? []))].filter(
    (path) => writableAbove(writable, path) !== null && isNew(path),
  );
}

interface Inspected {
  readonly path: string;
  /** Where it really is, if it is there and in what can be written. */
  readonly real: string | null;
  readonly link: { readonly path: string; readonly target: string } | null;
}

async function inspect(writable: readonly string[], path: string, seen: Seen): Promise<Inspected> {
  if (writableAbove(writable, path) === null) {
    // What is not there for the command need not be closed.
    const real = await realpath(path).catch(() => null);
    return { path, real: real !== null && writableAbove(writable, real) !== null ? real : null, link: null };
  }
  const there = standsAt(writable, path, seen);
  if (there === null) return { path, real: null, link: null };
  if (!there.stats.isSymbolicLink()) return { path, real: path, link: null };
  const link = { path: there.path, target: await readlink(there.path) };
  const real = await realpath(path).catch(() => null);
  // What a link out of them leads to is not there in the sandbox.
  return { path, real: real !== null && writableAbove(writable, real) !== null ? real : null, link };
}

/** @returns the paths that are placeholders now. */
async function placeMissing(workspace: string, seen: Seen): Promise<string[]> {
  const used: string[] = [];
  for (const level of PLACEHOLDERS) {
    const names = Object.entries(level).map(([name, kind]) => [join(workspace, name), kind] as const);
    const missing = names.filter(([path]) => placed.has(path) || (seen.get(path) ?? null) === null);
    const ours = await Promise.all(missing.map(([path, kind]) => place(workspace, path, kind)));
    used.push(...missing.flatMap(([path], index) => (ours[index] ? [path] : [])));
  }
  return used;
}

/** @returns whether it is one of ours now. */
async function place(workspace: string, path: string, kind: 'folder' | 'file'): Promise<boolean> {
  const uses = placed.get(path) ?? 0;
  // Inside an empty placeholder there is nothing to place.
  if (uses === 0 && placed.has(dirname(path))) return false;
  if (uses === 0) {
    const make = async (at: string): Promise<true> => {
      if (kind === 'folder') await mkdir(at);
      else await open(at, 'wx', 0o644).then((file) => file.close());
      return true;
    };
    // What is there already is not ours; and where we cannot write, the command cannot either: it runs as we do.
    if ((await inFolderOf([workspace], path, make).catch(() => null)) === null) return false;
  }
  placed.set(path, uses + 1);
  return true;
}

async function release(writable: readonly string[], paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const uses = placed.get(path) ?? 0;
    if (uses > 1) {
      placed.set(path, uses - 1);
      continue;
    }
    placed.delete(path);
    await inFolderOf(writable, path, async (at) => {
      const stats = await lstat(at);
      // Someone outside may have put something there meanwhile: it is theirs.
      if (stats.isDirectory()) await rmdir(at);
      else if (stats.isFile() && stats.size === 0) await unlink(at);
    }).catch(() => undefined);
  }
}
