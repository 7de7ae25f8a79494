import { lstat, mkdir, open, readlink, realpath, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { covers, foldersBetween } from '../paths';
import type { Mount } from './mounts';

/** Never writable, whatever the agent file says: they decide what runs, or with what, when a person works here next. */
export const ALWAYS_PROTECTED = [
  '.git/hooks',
  '.git/config',
  '.git/config.worktree',
  '.git/commondir',
  '.git/modules',
  '.env',
  '.env.local',
  '.env.development',
  '.env.production',
  '.env.test',
  '.envrc',
  '.vscode',
  '.idea',
  '.mcp.json',
] as const;

/**
 * Where something that is missing is put there, empty, for as long as a command runs, so that it can be closed. Only
 * for what would run code at once, and what nobody notices while it is empty: git takes an empty .git for none. What
 * lies in another one comes after it.
 */
const PLACEHOLDERS = [{ '.git': 'folder' }, { '.git/hooks': 'folder', '.git/config': 'file' }] as const;

/** What is to be kept from a command, as far as the file system could be prepared for it. */
export interface Protection {
  readonly mounts: readonly Mount[];
  /** Not there yet, and nothing can be closed that is not there: to be looked for while and after the command runs. */
  readonly absent: readonly string[];
  /** Links in place of a protected path, with what they say. They cannot be closed either. */
  readonly links: ReadonlyMap<string, string>;
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
 * Prepares the protection of paths in the workspace.
 * @param more absolute, or relative to the workspace.
 * @throws Error with words for model and operator, where a protected path leads out through a link
 */
export function protectPaths(workspace: string, more: readonly string[]): Promise<Protection> {
  return inTurn(async () => {
    const used: string[] = [];
    for (const level of PLACEHOLDERS) {
      const names = Object.entries(level).map(([name, kind]) => [join(workspace, name), kind] as const);
      const ours = await Promise.all(names.map(([path, kind]) => place(path, kind)));
      used.push(...names.flatMap(([path], index) => (ours[index] ? [path] : [])));
    }
    const wanted = [...ALWAYS_PROTECTED, ...more].map((path) => resolve(workspace, path));
    const found = await Promise.all([...new Set(wanted)].map((path) => inspect(workspace, path)));
    const closed = new Set(found.flatMap(({ real }) => (real === null ? [] : [real])));
    // A placeholder for all of .git has nothing in it to close.
    for (const path of used) closed.add(path);
    const pins = [...closed].flatMap((path) => foldersBetween(workspace, path)).filter((path) => !closed.has(path));
    return {
      mounts: [
        // Something is mounted on these, so that they can be neither renamed nor replaced.
        ...[...new Set(pins)].map((path): Mount => ({ kind: 'write', path })),
        ...[...closed].map((path): Mount => ({ kind: 'read', path })),
      ],
      absent: found.filter(({ real, link }) => real === null && link === null).map(({ path }) => path),
      links: new Map(found.flatMap(({ link }) => (link === null ? [] : [[link.path, link.target] as const]))),
      release: () => inTurn(() => release(used)),
    };
  });
}

interface Inspected {
  readonly path: string;
  /** Where it really is, if it is there and in the workspace. */
  readonly real: string | null;
  readonly link: { readonly path: string; readonly target: string } | null;
}

async function inspect(workspace: string, path: string): Promise<Inspected> {
  if (!covers(workspace, path)) return { path, real: await realpath(path).catch(() => null), link: null };
  let link: Inspected['link'] = null;
  for (const place of [...foldersBetween(workspace, path), path]) {
    const stats = await lstat(place).catch(() => null);
    if (stats === null) return { path, real: null, link };
    if (stats.isSymbolicLink()) {
      link = { path: place, target: await readlink(place) };
      break;
    }
  }
  const real = await realpath(path).catch(() => null);
  // What a link out of the workspace leads to is not there in the sandbox.
  return { path, real: real !== null && covers(workspace, real) ? real : null, link };
}

/** @returns whether it is one of ours now. */
async function place(path: string, kind: 'folder' | 'file'): Promise<boolean> {
  const uses = placed.get(path) ?? 0;
  if (uses === 0) {
    const [parent, there] = await Promise.all(
      [stat(dirname(path)), lstat(path)].map((looked) => looked.catch(() => null)),
    );
    // Inside an empty placeholder there is nothing to place.
    if (placed.has(dirname(path)) || parent?.isDirectory() !== true || there !== null) return false;
    const made = kind === 'folder' ? mkdir(path) : open(path, 'wx', 0o644).then((file) => file.close());
    // Where we cannot write, the command cannot either: it runs as we do.
    if (!(await made.then(() => true).catch(() => false))) return false;
  }
  placed.set(path, uses + 1);
  return true;
}

async function release(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const uses = placed.get(path) ?? 0;
    if (uses > 1) {
      placed.set(path, uses - 1);
      continue;
    }
    placed.delete(path);
    const stats = await lstat(path).catch(() => null);
    // Someone outside may have put something there meanwhile: it is theirs.
    if (stats?.isDirectory() === true) await rmdir(path).catch(() => undefined);
    else if (stats?.isFile() === true && stats.size === 0) await unlink(path).catch(() => undefined);
  }
}
