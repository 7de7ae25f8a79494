import { type BigIntStats, constants, lstat, readdir } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { covers } from '../paths';
import { type IndexContent, readIndex } from './git-index';
import { Unseen } from './unseen';

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
  /** The indexes, by what tells each from any other that might be there later. */
  readonly versions: ReadonlyMap<string, IndexVersion>;
}

/** `unsettled`: it may become another one without looking any different. */
type IndexVersion = string | 'none' | 'unsettled';

/** In bytes. What names a folder is no longer. */
const MAX_NAME = 8_192;
/** In bytes: of some hundred thousand files. */
const MAX_INDEX = 64 * 1024 ** 2;
/** More than anybody has. Each is looked at before each command. */
const MAX_REPOSITORIES = 1_000;
/** More of them are none that somebody works in; then none of them can be changed. */
const MAX_TREES = 50;
/** What makes a folder a git folder, where there is no `.git`: the last two of them, or the name of another that has them. */
const BARE = ['HEAD', 'refs', 'objects'] as const;

/**
 * The repositories that git gets to from folders, without following links: those in their own place, whatever is there,
 * and those that stand in an index, and so on.
 * @param folders real paths
 * @throws Unseen where there are too many to look at
 */
export async function repositoriesIn(folders: readonly string[]): Promise<ReadonlyMap<string, Repository>> {
  const found = new Map<string, Repository>();
  for (let next = [...new Set(folders)]; next.length > 0; ) {
    const repositories = await Promise.all(next.map((root) => repositoryAt(root, folders.includes(root))));
    for (const repository of repositories) found.set(repository.root, repository);
    next = [...new Set(repositories.flatMap(({ links }) => links))].filter((root) => !found.has(root));
    if (found.size + next.length > MAX_REPOSITORIES) {
      throw new Unseen(
        `more than ${MAX_REPOSITORIES} repositories stand in the index of ${folders[0]}, or in that of another one: what is protected in them cannot be seen`,
      );
    }
  }
  return found;
}

/** Whether any index is another one than when these were found. */
export async function indexesChanged(repositories: Iterable<Repository>): Promise<boolean> {
  const before = [...repositories].flatMap(({ versions }) => [...versions]);
  const now = await Promise.all(before.map(([path]) => look(path)));
  return before.some(([, version], index) => version === 'unsettled' || version !== versionOf(now[index] ?? null));
}

/** @param isOwn whether git can be started in it, and then may find a git folder in the folder itself */
async function repositoryAt(root: string, isOwn: boolean): Promise<Repository> {
  const own = join(root, '.git');
  // All at once: each wait is longer than the looks, and nearly all have a folder there.
  const [stats, inside] = await Promise.all([look(own), gitFolderAt(own)]);
  if (stats?.isFile() === true) {
    const leadsTo = await readName(own, /^gitdir: ([^\0\n]+)/);
    return repository(root, leadsTo === null ? [] : await gitFoldersAt(resolve(root, leadsTo)), [own]);
  }
  const isLink = stats?.isSymbolicLink() === true;
  const isFolder = isLink || stats?.isDirectory() === true;
  const folders = isLink ? await gitFoldersAt(own) : isFolder ? [inside, ...(await commonOf(inside))] : [];
  const entries = isFolder ? [] : [own];
  // An empty folder is none to git, and may have been put there by us.
  if (!isOwn || (isFolder && inside.hasHead)) return repository(root, folders, entries);
  const bare = await bareAt(root);
  return repository(root, [...folders, ...bare.folders], [...entries, ...bare.entries]);
}

/** Git also takes a folder itself for a git folder, if it looks like one; else what is missing to that. */
async function bareAt(root: string): Promise<{ readonly folders: readonly GitFolder[]; readonly entries: string[] }> {
  const [common, ...there] = await Promise.all(['commondir', ...BARE].map((name) => look(join(root, name))));
  const missing = BARE.find((_, index) => there[index] === null);
  if (missing === undefined || (common !== null && there[0] !== null)) {
    return { folders: await gitFoldersAt(root), entries: [] };
  }
  return { folders: [], entries: [join(root, missing)] };
}

function repository(root: string, folders: readonly GitFolder[], entries: readonly string[]): Repository {
  const indexes = folders.map(({ index }) => index);
  return {
    root,
    folders: folders.map(({ path }) => path),
    trees: folders.flatMap(({ trees }) => trees),
    entries: [...entries, ...folders.flatMap(({ closed }) => closed)],
    links: indexes
      .flatMap(({ links }) => links ?? [])
      .map((path) => resolve(root, path))
      .filter((link) => link !== root && covers(root, link)),
    unread: indexes.find(({ links }) => links === null)?.path ?? null,
    versions: new Map(indexes.map(({ path, version }) => [path, version])),
  };
}

interface GitFolder {
  readonly path: string;
  readonly hasHead: boolean;
  /** The folder that it has in common with others; null for none. */
  readonly common: string | null;
  readonly trees: readonly string[];
  /** What can only be closed as a whole. */
  readonly closed: readonly string[];
  readonly index: FoundIndex;
}

/** A folder as it is named, as it really is, and what it has in common with others. */
async function gitFoldersAt(named: string): Promise<GitFolder[]> {
  const real = await realpath(named).catch(() => named);
  const folders = await Promise.all([...new Set([named, real])].map(gitFolderAt));
  const common = (await Promise.all(folders.map(commonOf))).flat();
  return [...folders, ...common.filter(({ path }) => path !== named && path !== real)];
}

async function commonOf({ common }: GitFolder): Promise<GitFolder[]> {
  return common === null ? [] : [await gitFolderAt(common)];
}

async function gitFolderAt(path: string): Promise<GitFolder> {
  const place = join(path, 'worktrees');
  const [head, common, names, index] = await Promise.all([
    look(join(path, 'HEAD')),
    commonFolderOf(path),
    namesIn(place),
    indexOf(path),
  ]);
  const isTooMany = names.length > MAX_TREES;
  const trees = isTooMany ? [] : names.map((name) => join(place, name));
  return { path, hasHead: head !== null, common, trees, closed: isTooMany ? [place] : [], index };
}

async function commonFolderOf(path: string): Promise<string | null> {
  const file = join(path, 'commondir');
  const name = (await look(file)) === null ? null : await readName(file, /^([^\0\n]+)/);
  return name === null ? null : resolve(path, name);
}

// The promises of node:fs/promises cost twice as much.

function look(path: string): Promise<BigIntStats | null> {
  return new Promise((done) => lstat(path, { bigint: true }, (error, stats) => done(error === null ? stats : null)));
}

function namesIn(path: string): Promise<string[]> {
  return new Promise((done) => readdir(path, (error, names) => done(error === null ? names : [])));
}

interface FoundIndex {
  readonly path: string;
  /** null where it cannot be read. */
  readonly links: readonly string[] | null;
  readonly version: IndexVersion;
}

/** What was read of an index, as long as it is the same file, unchanged. */
const known = new Map<string, FoundIndex>();
const MAX_KNOWN = 500;
/** A file that was changed so short a time ago may be changed again without looking any different, in milliseconds. */
const SETTLED_MS = 100n;

const versionOf = (stats: BigIntStats | null): IndexVersion =>
  stats === null ? 'none' : [stats.dev, stats.ino, stats.size, stats.ctimeNs].join(' ');

async function indexOf(folder: string): Promise<FoundIndex> {
  const path = join(folder, 'index');
  const stats = await look(path);
  const version = versionOf(stats);
  if (stats === null) return { path, links: [], version };
  const before = known.get(path);
  if (before?.version === version) return before;
  const { links, isSplit } = await linksIn(folder);
  known.delete(path);
  const isUnsettled = isSplit || BigInt(Date.now()) - stats.ctimeMs < SETTLED_MS;
  if (isUnsettled) return { path, links, version: 'unsettled' };
  if (known.size >= MAX_KNOWN) known.clear();
  const found = { path, links, version };
  known.set(path, found);
  return found;
}

interface Links {
  readonly links: readonly string[] | null;
  /** Whether they stand in more than one file. */
  readonly isSplit: boolean;
}

/** @returns null for the links where it is no index that can be read */
async function linksIn(folder: string): Promise<Links> {
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
