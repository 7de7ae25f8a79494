import { type Dirent, readdir } from 'node:fs';
import { dirname, join } from 'node:path';
import { mountsBelow } from '../mounts-below';
import { covers, waysUp } from '../paths';
import { look } from './look';
import { repositoriesIn } from './repositories';
import { Unseen } from './unseen';

/** How many folders down a repository is looked for. People keep them side by side, or in folders by kind or by owner. */
const MAX_DEPTH = 3;
/** Looked through in some hundred milliseconds, at the start of a run. */
const MAX_FOLDERS = 2_000;
/** Each makes the start of a command longer. */
const MAX_FOUND = 40;
/** What programs install is no work of the operator's. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules']);

export interface NestedRepositories {
  /** The tops of their working trees, those nearest to the folders first. */
  readonly roots: readonly string[];
  /** Whether more were found than are told. */
  readonly isCut: boolean;
}

/**
 * Repositories below folders, not through links, that were there at a moment: whoever begins to work in the folders later has
 * not made them. Those in a folder of thousands may be missed, and those on another file system, which may never answer.
 * @param since milliseconds since the epoch
 */
export async function repositoriesBelow(folders: readonly string[], since: number): Promise<NestedRepositories> {
  const found: string[] = [];
  const mounts = new Set(await mountsBelow(folders));
  let level = [...new Set(folders)];
  let left = MAX_FOLDERS;
  for (let depth = 0; level.length > 0 && depth <= MAX_DEPTH && found.length <= MAX_FOUND; depth += 1) {
    left -= level.length;
    const contents = await Promise.all(level.map(entriesOf));
    const tops = level.filter((_, index) => depth > 0 && contents[index]?.some(({ name }) => name === '.git') === true);
    const old = await Promise.all(tops.map((top) => isOlder(join(top, '.git'), since)));
    found.push(...tops.filter((_, index) => old[index]));
    level = level
      .flatMap((folder, index) => foldersIn(folder, contents[index] ?? []))
      .filter((folder) => !mounts.has(folder))
      .slice(0, left);
  }
  return { roots: found.slice(0, MAX_FOUND), isCut: found.length > MAX_FOUND };
}

/** Nobody can change when something was made without making it anew. What cannot be told was there. */
async function isOlder(path: string, since: number): Promise<boolean> {
  const stats = await look(path);
  return stats === null || stats.birthtimeMs < since;
}

const foldersIn = (folder: string, entries: readonly Dirent[]): string[] =>
  entries.filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name)).map(({ name }) => join(folder, name));

function entriesOf(folder: string): Promise<Dirent[]> {
  return new Promise((done) =>
    readdir(folder, { withFileTypes: true }, (error, entries) => done(error === null ? entries : [])),
  );
}

/** Folders that are looked at on the way up. */
const MAX_ABOVE = 40;

/**
 * Repositories in folders that stand in the index of one above: git goes into them when somebody asks for its status.
 * @param folders real paths
 * @throws Unseen where they cannot be told
 */
export async function repositoriesFromAbove(folders: readonly string[]): Promise<string[]> {
  const above = [...new Set(folders.flatMap((folder) => waysUp(dirname(folder)).slice(0, MAX_ABOVE)))];
  const there = await Promise.all(above.map((folder) => look(join(folder, '.git'))));
  const tops = above.filter((_, index) => there[index] !== null);
  const found: string[] = [];
  for (const top of tops) {
    const repository = (await repositoriesIn([], [top])).get(top);
    if (repository === undefined) continue;
    if (repository.unread !== null) {
      throw new Unseen(`the index ${repository.unread} cannot be read: what git does in ${folders[0]} cannot be seen`);
    }
    found.push(...repository.links.filter((link) => folders.some((folder) => covers(folder, link))));
  }
  return [...new Set(found)];
}
