import { readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { covers, foldersBetween, waysUp } from '../paths';
import { protectedPaths } from '../reach/protected';
import { type Repository, repositoriesIn } from '../reach/repositories';
import { environmentVariants } from '../reach/variants';
import { lookDown, type Seen, standsAt, writableAbove } from './look-down';
import type { Mount } from './mounts';
import { inTurn, placeMissing, releasePlaced } from './placeholders';
import { mayBeWritten } from './sentinel';

/** What is to be kept from a command, as far as the file system could be prepared for it. */
export interface Protection {
  /** What a command can write, the workspace first. */
  readonly writable: readonly string[];
  readonly mounts: readonly Mount[];
  /** What cannot be changed, with all in it. */
  readonly closed: ReadonlySet<string>;
  /** Not there yet, and nothing can be closed that is not there: to be looked for while and after the command runs. */
  readonly absent: readonly string[];
  /** What is missing and has an empty folder or file in its place. */
  readonly placed: readonly string[];
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
  /** Takes away again what was put there. @returns where something else is by now */
  release(): Promise<string[]>;
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
    const look = looker(writable, more, nested);
    const looking = look();
    const placed = await placeMissing(
      writable,
      more,
      looking.then(({ seen }) => seen),
      !mayBeWritten(writable),
    );
    try {
      const before = await looking;
      const isOtherGit = placed.some((path) => covers(join(workspace, '.git'), path));
      const { repositories, variants, seen: most } = isOtherGit ? await look() : before;
      const wanted = [...protectedPaths(workspace, repositories.values(), more), ...variants];
      const others = wanted.filter((path) => !most.has(path));
      const seen = new Map([...most, ...(await lookDown(writable, others))]);
      const found = await Promise.all(wanted.map((path) => inspect(writable, path, seen)));
      return {
        ...closing(writable, found, placed),
        writable,
        placed,
        folders: new Map(above(writable, wanted).map((path) => [path, seen.get(path)?.isDirectory() === true])),
        repositories,
        nested,
        variants: new Set(variants),
        release: () => inTurn(() => releasePlaced(writable, placed, !mayBeWritten(writable))),
      };
    } catch (error) {
      await releasePlaced(writable, placed, false);
      throw error;
    }
  });
}

/** Looks at most of what matters at once, as one look after the other would take its time before each command. */
function looker(writable: readonly [string, ...string[]], more: readonly string[], nested: readonly string[]) {
  const [workspace] = writable;
  const reading = mayBeWritten(writable) ? 'anew' : 'known';
  const always = protectedPaths(workspace, [usual(workspace)], more);
  return async () => {
    const [repositories, variants, seen] = await Promise.all([
      repositoriesIn(writable, nested, reading),
      environmentVariants(workspace),
      lookDown(writable, always),
    ]);
    return { repositories, variants, seen };
  };
}

/** What of it can be closed, how, and what only can be looked after. */
function closing(writable: readonly string[], found: readonly Inspected[], placed: readonly string[]) {
  // A placeholder for all of .git has nothing in it to close.
  const closed = new Set([...found.flatMap(({ real }) => (real === null ? [] : [real])), ...placed]);
  const isClosed = (path: string): boolean => waysUp(path).some((place) => closed.has(place));
  const links = new Map(found.flatMap(({ link }) => (link === null ? [] : [[link.path, link.target] as const])));
  const pins = above(writable, [...closed, ...writable, ...links.keys()]).filter((path) => !isClosed(path));
  return {
    mounts: [
      // Something is mounted on these, so that they can be neither renamed nor replaced.
      ...pins.map((path): Mount => ({ kind: 'write', path })),
      ...[...closed].map((path): Mount => ({ kind: 'read', path })),
    ],
    absent: found
      .filter(({ real, link }) => real === null && link === null)
      .map(({ path }) => path)
      .filter((path) => writableAbove(writable, path) !== null && !isClosed(path)),
    closed,
    links,
  };
}

/** The folders on the way to paths, from what can be written on. */
const above = (writable: readonly string[], paths: readonly string[]): string[] => [
  ...new Set(paths.flatMap((path) => writable.flatMap((folder) => foldersBetween(folder, path)))),
];

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
