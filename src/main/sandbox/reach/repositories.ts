import { opendir, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { covers } from '../paths';
import { type FoundIndex, type IndexVersion, indexOf, type Reading, versionOf } from './indexes';
import { commonFolderOf, look, readName } from './look';
import { Unseen } from './unseen';

/** What git takes for a repository in a folder, and gets to from there when somebody only asks for its status. */
export interface Repository {
  /** The top of its working tree, absolute. */
  readonly root: string;
  /** Its git folders: the one that `.git` is or names, and the one with what working trees have in common. */
  readonly folders: readonly string[];
  /** The git folders of its other working trees. */
  readonly trees: readonly string[];
  /** The tops of these by their git folders, as far as they say so. */
  readonly tops: ReadonlyMap<string, string>;
  /** What must not come to be, or be another: it would make another folder the git folder. */
  readonly entries: readonly string[];
  /** Repositories in its index, by their tops: git goes into each, and does what its configuration says. */
  readonly links: readonly string[];
  /** An index that cannot be read here, so that it may name anything; null where that is not so. */
  readonly unread: string | null;
  /** The indexes, by what tells each from any other that might be there later. */
  readonly versions: ReadonlyMap<string, IndexVersion>;
}

/** More than anybody has. Each is looked at before each command. */
const MAX_REPOSITORIES = 200;
/** More of them are none that somebody works in; then none of them can be changed. */
const MAX_TREES = 50;

/**
 * The repositories that git gets to from folders, without following links: those in their own place, whatever is there,
 * those of their other working trees, and those that stand in an index, and so on.
 * @param folders real paths, in which git may be started
 * @param more the tops of others
 * @throws Unseen where there are too many to look at
 */
export async function repositoriesIn(
  folders: readonly string[],
  more: readonly string[] = [],
  reading: Reading = 'known',
): Promise<ReadonlyMap<string, Repository>> {
  const found = new Map<string, Repository>();
  const isNear = (top: string): boolean => folders.some((folder) => covers(folder, top) || covers(top, folder));
  for (let next = new Map([...folders, ...more].map((root) => [root, null as string | null])); next.size > 0; ) {
    const repositories = await Promise.all(
      [...next].map(([root, tree]) =>
        // What lies elsewhere is not looked at, and may be where nobody answers: its git folder says it all.
        tree === null || isNear(root)
          ? repositoryAt(root, folders.includes(root), reading)
          : ofTree(root, tree, reading),
      ),
    );
    for (const repository of repositories) found.set(repository.root, repository);
    const links = repositories.flatMap((repository) => repository.links.map((root) => [root, null] as const));
    const trees = repositories.flatMap(({ tops }) => [...tops].map(([tree, top]) => [top, tree] as const));
    next = new Map([...trees, ...links].filter(([root]) => !found.has(root)));
    if (found.size + next.size > MAX_REPOSITORIES) {
      throw new Unseen(
        `more than ${MAX_REPOSITORIES} repositories stand in the index of ${folders[0]}, in that of another one, or are other working trees: what is protected in them cannot be seen`,
      );
    }
  }
  return found;
}

const ofTree = async (top: string, folder: string, reading: Reading): Promise<Repository> =>
  repository(top, await gitFoldersAt(folder, reading), []);

/** Whether any index is another one than when these were found. */
export async function indexesChanged(repositories: Iterable<Repository>): Promise<boolean> {
  const before = [...repositories].flatMap(({ versions }) => [...versions]);
  const now = await Promise.all(before.map(([path]) => look(path)));
  return before.some(([, version], index) => version === 'unsettled' || version !== versionOf(now[index] ?? null));
}

/** @param isOwn whether git can be started in it, and then may find a git folder in the folder itself */
async function repositoryAt(root: string, isOwn: boolean, reading: Reading): Promise<Repository> {
  const own = join(root, '.git');
  // All at once: each wait is longer than the looks, and nearly all have a folder there.
  const [stats, inside] = await Promise.all([look(own), gitFolderAt(own, reading)]);
  if (stats?.isFile() === true) {
    const leadsTo = await readName(own, /^gitdir: ([^\0\n]+)/);
    return repository(root, leadsTo === null ? [] : await gitFoldersAt(resolve(root, leadsTo), reading), [own]);
  }
  const isLink = stats?.isSymbolicLink() === true;
  const isFolder = isLink || stats?.isDirectory() === true;
  const folders = isLink
    ? await gitFoldersAt(own, reading)
    : isFolder
      ? [inside, ...(await commonOf(inside, reading))]
      : [];
  const entries = isFolder ? [] : [own];
  if (!isOwn) return repository(root, folders, entries);
  // Where git finds no git folder in it, or a broken one, it takes the folder itself for one if it looks like it.
  const head = join(root, 'HEAD');
  if ((await look(head)) === null) return repository(root, folders, [...entries, head]);
  return repository(root, [...folders, ...(await gitFoldersAt(root, reading))], entries);
}

function repository(root: string, folders: readonly GitFolder[], entries: readonly string[]): Repository {
  const indexes = folders.map(({ index }) => index);
  return {
    root,
    folders: folders.map(({ path }) => path),
    trees: folders.flatMap(({ trees }) => trees),
    tops: new Map(folders.flatMap(({ tops }) => [...tops])),
    entries: [...entries, ...folders.flatMap(({ closed }) => closed)],
    links: indexes.flatMap(({ links }) => links ?? []).map((path) => join(root, path)),
    unread: indexes.find(({ links }) => links === null)?.path ?? null,
    versions: new Map(indexes.map(({ path, version }) => [path, version])),
  };
}

interface GitFolder {
  readonly path: string;
  /** The folder that it has in common with others; null for none. */
  readonly common: string | null;
  readonly trees: readonly string[];
  readonly tops: ReadonlyMap<string, string>;
  /** What can only be closed as a whole. */
  readonly closed: readonly string[];
  readonly index: FoundIndex;
}

/** A folder as it is named, as it really is, and what it has in common with others. */
async function gitFoldersAt(named: string, reading: Reading): Promise<GitFolder[]> {
  const real = await realpath(named).catch(() => named);
  const folders = await Promise.all([...new Set([named, real])].map((path) => gitFolderAt(path, reading)));
  const common = (await Promise.all(folders.map((folder) => commonOf(folder, reading)))).flat();
  return [...folders, ...common.filter(({ path }) => path !== named && path !== real)];
}

async function commonOf({ common }: GitFolder, reading: Reading): Promise<GitFolder[]> {
  return common === null ? [] : [await gitFolderAt(common, reading)];
}

async function gitFolderAt(path: string, reading: Reading): Promise<GitFolder> {
  const place = join(path, 'worktrees');
  const [common, names, index] = await Promise.all([commonFolderOf(path), someIn(place), indexOf(path, reading)]);
  if (names.length > MAX_TREES) return { path, common, trees: [], tops: new Map(), closed: [place], index };
  const trees = names.map((name) => join(place, name));
  const named = await Promise.all(trees.map((tree) => readName(join(tree, 'gitdir'), /^([^\0\n]+)/)));
  // It names the `.git` in its top.
  const tops = trees.flatMap((tree, at) => {
    const name = named[at] ?? null;
    return name === null ? [] : [[tree, dirname(resolve(tree, name))] as const];
  });
  return { path, common, trees, tops: new Map(tops), closed: [], index };
}

/** The names in a folder, or one more than are wanted. */
async function someIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  const opened = await opendir(folder).catch(() => null);
  if (opened === null) return names;
  for await (const { name } of opened) {
    names.push(name);
    if (names.length > MAX_TREES) break;
  }
  return names;
}
