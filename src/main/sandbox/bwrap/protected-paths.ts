import { readlink, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { foldersBetween, waysUp } from '../paths';
import { placeBehindLinks } from '../reach/behind-links';
import { trackedIn } from '../reach/indexes';
import { protectedPaths } from '../reach/protected';
import { type Repository, repositoriesIn } from '../reach/repositories';
import { environmentVariants } from '../reach/variants';
import { lookDown, type Seen, standsAt, writableAbove } from './look-down';
import type { Mount } from './mounts';
import { holdPlaces, inTurn } from './placeholders';
import { mayBeWritten } from './sentinel';

/** What the agent file and the app protect beyond what always is. */
export interface Wanted {
  /** What the agent file names, absolute or relative to the workspace: also where it is missing. */
  readonly protect: readonly string[];
  /** What is there and is to stay as it is. */
  readonly keep: readonly string[];
  /** A folder that no command gets to see, whatever its policy says; null for none. */
  readonly unseen: string | null;
}

/** What is to be kept from a command, as far as the file system could be prepared for it. */
export interface Protection {
  /** What a command can write, the workspace first. */
  readonly writable: readonly string[];
  readonly mounts: readonly Mount[];
  /** What cannot be changed, with all in it. */
  readonly closed: ReadonlySet<string>;
  /** Of these, what is there only to hold the place of what is missing. */
  readonly placed: readonly string[];
  /** Not there yet, with nothing in their place: to be looked for while and after the command runs. */
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
  /** What holds places is needed no more. */
  release(): void;
}

/**
 * Prepares the protection of paths in what a command can write.
 * @param writable real paths, the workspace first
 * @param nested repositories in all of this, by the tops of their working trees
 * @throws Error with words for model and operator, where a protected path leads out through a link
 */
export function protectPaths(
  writable: readonly [workspace: string, ...beyond: string[]],
  { protect, keep, unseen }: Wanted,
  nested: readonly string[] = [],
): Promise<Protection> {
  const [workspace] = writable;
  const more = [...protect, ...keep];
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
    const places = await holdPlaces(writable, protect, before[2], {
      unseen,
      tracked: (paths) => trackedBy(before[0].get(workspace), paths),
    });
    try {
      const [repositories, variants, most] = places.isNew ? await look() : before;
      const named = [...protectedPaths(workspace, repositories.values(), more), ...variants];
      const others = named.filter((path) => !most.has(path));
      const seenNamed = new Map([...most, ...(await lookDown(writable, others))]);
      const foundNamed = await Promise.all(named.map((path) => inspect(writable, path, seenNamed)));
      const behind = await missingBehindLinks(writable, foundNamed);
      const wanted = [...named, ...behind];
      const seen = behind.length === 0 ? seenNamed : new Map([...seenNamed, ...(await lookDown(writable, behind))]);
      const found = [...foundNamed, ...(await Promise.all(behind.map((path) => inspect(writable, path, seen))))];
      const closed = new Set(found.flatMap(({ real }) => (real === null ? [] : [real])));
      for (const path of closed) places.share(path);
      // One for all of .git has nothing in it to close.
      const placed = places.paths;
      for (const path of placed) closed.add(path);
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
        placed,
        links: new Map(links.map(({ path, target }) => [path, target])),
        folders: new Map(above(wanted).map((path) => [path, seen.get(path)?.isDirectory() === true])),
        repositories,
        nested,
        variants: new Set(variants),
        release: () => places.letGo(),
      };
    } catch (error) {
      places.letGo();
      throw error;
    }
  });
}

/** Of some paths, those that a repository tracks. */
async function trackedBy(repository: Repository | undefined, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (repository === undefined) return new Set();
  const { root, folders } = repository;
  const names = new Map(paths.map((path) => [relative(root, path), path]));
  const found = await Promise.all(folders.map((folder) => trackedIn(folder, [...names.keys()])));
  return new Set(found.flat().flatMap((name) => names.get(name) ?? []));
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
