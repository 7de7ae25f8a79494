import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { covers } from '../paths';
import { type IndexContent, readIndex } from './git-index';

/** What git takes for a repository in a folder, and gets to from there when somebody only asks for its status. */
export interface Repository {
  /** The top of its working tree, absolute. */
  readonly root: string;
  /** Its git folders: the one that `.git` is or names, and the one with what working trees have in common. */
  readonly folders: readonly string[];
  /** The git folders of its other working trees. */
  readonly trees: readonly string[];
  /** What must not come to be, or be another: it would make another folder the git folder. */
  readonly entries: readonly string[];
  /** Repositories in its index, by their tops: git goes into each, and does what its configuration says. */
  readonly links: readonly string[];
  /** An index that cannot be read here, so that it may name anything; null where that is not so. */
  readonly unread: string | null;
}

/** In bytes. What names a folder is no longer. */
const MAX_NAME = 8_192;
/** In bytes: of some million files. */
const MAX_INDEX = 512 * 1024 ** 2;
/** More of them are none that somebody works in; then none of them can be changed. */
const MAX_TREES = 50;
/** What makes a folder a git folder, where there is no `.git`: the last two of them, or the name of another that has them. */
const BARE = ['HEAD', 'refs', 'objects'] as const;

/**
 * The repositories that git gets to from folders, without following links: those in their own place, whatever is there,
 * and those that stand in an index, and so on.
 * @param folders real paths
 */
export async function repositoriesIn(folders: readonly string[]): Promise<ReadonlyMap<string, Repository>> {
  const found = new Map<string, Repository>();
  for (let next = [...new Set(folders)]; next.length > 0; ) {
    const repositories = await Promise.all(next.map((root) => repositoryAt(root, folders.includes(root))));
    for (const repository of repositories) found.set(repository.root, repository);
    next = [...new Set(repositories.flatMap(({ links }) => links))].filter((root) => !found.has(root));
  }
  return found;
}

/** @param isOwn whether git can be started in it, and then may find a git folder in the folder itself */
async function repositoryAt(root: string, isOwn: boolean): Promise<Repository> {
  const own = join(root, '.git');
  const stats = await lstat(own).catch(() => null);
  if (stats?.isFile() === true) {
    const leadsTo = await readName(own, /^gitdir: ([^\0\n]+)/);
    return withGit(root, leadsTo === null ? [] : [resolve(root, leadsTo)], [own]);
  }
  const isFolder = stats?.isDirectory() === true || stats?.isSymbolicLink() === true;
  const [folders, entries] = isFolder ? [[own], []] : [[], [own]];
  // An empty folder is none to git, and may have been put there by us.
  if (!isOwn || (isFolder && (await isThere(join(own, 'HEAD'))))) return withGit(root, folders, entries);
  const bare = await bareAt(root);
  return withGit(root, [...folders, ...bare.folders], [...entries, ...bare.entries]);
}

/** Git also takes a folder itself for a git folder, if it looks like one; else what is missing to that. */
async function bareAt(root: string): Promise<Pick<Repository, 'folders' | 'entries'>> {
  const [hasCommon, ...there] = await Promise.all(['commondir', ...BARE].map((name) => isThere(join(root, name))));
  const missing = BARE.find((_, index) => !there[index]);
  if (missing === undefined || (hasCommon && there[0])) return { folders: [root], entries: [] };
  return { folders: [], entries: [join(root, missing)] };
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

async function withGit(root: string, named: readonly string[], entries: readonly string[]): Promise<Repository> {
  const folders = new Set<string>();
  for (const folder of named) {
    folders.add(folder).add(await realpath(folder).catch(() => folder));
  }
  for (const folder of [...folders]) {
    const common = await readName(join(folder, 'commondir'), /^([^\0\n]+)/);
    if (common !== null) folders.add(resolve(folder, common));
  }
  const [trees, indexes] = await Promise.all([
    Promise.all([...folders].map(treesOf)),
    Promise.all([...folders].map((folder) => indexOf(folder))),
  ]);
  const contents = indexes.map((content) => content.links ?? []);
  return {
    root,
    folders: [...folders],
    trees: trees.flatMap((each) => each.folders),
    entries: [...entries, ...trees.flatMap((each) => each.closed)],
    links: contents.flat().flatMap((path) => {
      const link = resolve(root, path);
      return link !== root && covers(root, link) ? [link] : [];
    }),
    unread: indexes.find((content) => content.links === null)?.path ?? null,
  };
}

async function treesOf(folder: string): Promise<{ readonly folders: string[]; readonly closed: string[] }> {
  const place = join(folder, 'worktrees');
  const names = await readdir(place).catch(() => []);
  if (names.length > MAX_TREES) return { folders: [], closed: [place] };
  return { folders: names.map((name) => join(place, name)), closed: [] };
}

interface FoundIndex {
  readonly path: string;
  /** null where it cannot be read. */
  readonly links: readonly string[] | null;
  /** Whether that stands in more than this one file. */
  readonly isSplit: boolean;
}

/** What was read of an index, as long as it is the same file, unchanged. */
const known = new Map<string, { readonly version: string; readonly found: FoundIndex }>();
const MAX_KNOWN = 500;
/** A file that was changed so short a time ago may be changed again without looking any different, in milliseconds. */
const SETTLED_MS = 100n;

async function indexOf(folder: string): Promise<FoundIndex> {
  const path = join(folder, 'index');
  const stats = await lstat(path, { bigint: true }).catch(() => null);
  if (stats === null) return { path, links: [], isSplit: false };
  const version = [stats.dev, stats.ino, stats.size, stats.ctimeNs].join(' ');
  const before = known.get(path);
  if (before?.version === version) return before.found;
  const found = { path, ...(await linksIn(folder)) };
  known.delete(path);
  if (found.isSplit || BigInt(Date.now()) - stats.ctimeMs < SETTLED_MS) return found;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(path, { version, found });
  return found;
}

async function linksIn(folder: string): Promise<Pick<FoundIndex, 'links' | 'isSplit'>> {
  const content = await indexFile(join(folder, 'index'));
  if (content === null || content.shared === null) return { links: content?.links ?? null, isSplit: false };
  const rest = await indexFile(join(folder, content.shared));
  return { links: rest === null || rest.shared !== null ? null : [...content.links, ...rest.links], isSplit: true };
}

async function indexFile(path: string): Promise<IndexContent | null> {
  return withFile(path, null, async (file) => {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > MAX_INDEX) return null;
    return readIndex(await file.readFile());
  });
}

/** The first line of a file that names a folder; null where it names none. */
async function readName(path: string, pattern: RegExp): Promise<string | null> {
  return withFile(path, null, async (file) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_NAME), 0, MAX_NAME, 0);
    return pattern.exec(buffer.toString('utf8', 0, bytesRead))?.[1]?.trimEnd() || null;
  });
}

/** Does something with a file that is not reached through a link, and waits for nobody to write it. */
async function withFile<T>(path: string, none: T, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(path, flags).catch(() => null);
  if (file === null) return none;
  try {
    return await work(file);
  } catch {
    return none;
  } finally {
    await file.close();
  }
}
