import { basename, dirname, join, resolve, sep } from 'node:path';
import { covers } from '../paths';
import type { Repository } from './repositories';

/** In a git folder: they decide which programs git starts, or where it looks for what decides that. */
const IN_GIT = ['hooks', 'config', 'config.worktree', 'commondir', 'modules'] as const;

/** In the git folder of one more working tree. */
const IN_TREE = ['gitdir', 'commondir', 'config.worktree', 'modules'] as const;

/** In the workspace: they decide what runs, or with what, when a person works here next. */
const IN_WORKSPACE = ['.env', '.envrc', '.vscode', '.idea', '.mcp.json'] as const;

/**
 * `.env.local`, but not `.env.example` and the like, which are shown to people and read by no program, nor what was
 * moved aside from such a place.
 */
const VARIANT = /^\.env\.(?!.*refused-by-sayso(?:-\d+)?$)(?!(?:.*\.)?(?:example|sample|template|dist|tpl)$)./s;

/** Whether a name in the workspace is one of the variants of `.env`. */
export const isEnvironmentVariant = (name: string): boolean => VARIANT.test(name);

/** Whether a name is one that is protected where it lies directly in a workspace. */
export function isProtectedName(name: string): boolean {
  const plain = loose(name);
  return plain === '.git' || IN_WORKSPACE.some((one) => one === plain) || VARIANT.test(plain);
}

/** What of a repository decides which programs git starts. */
export function repositoryPaths({ folders, trees, entries, unread }: Repository): string[] {
  return [
    ...entries,
    ...folders.flatMap((folder) => IN_GIT.map((name) => join(folder, name))),
    ...trees.flatMap((folder) => IN_TREE.map((name) => join(folder, name))),
    ...(unread === null ? [] : [unread]),
  ];
}

/**
 * The paths in and beyond a workspace that are never writable, there or not, whatever else the agent file says. Variants
 * of `.env` come on top: they are known by their names alone.
 * @param repositories all that git gets to from what can be written
 * @param more absolute, or relative to the workspace
 */
export function protectedPaths(
  workspace: string,
  repositories: Iterable<Repository>,
  more: readonly string[],
): string[] {
  const inWorkspace = [...IN_WORKSPACE, ...more].map((path) => resolve(workspace, path));
  return [...new Set([...[...repositories].flatMap(repositoryPaths), ...inWorkspace])];
}

/** Protected paths as they are on this disk. */
export interface Guard {
  readonly workspace: string;
  /** Absolute: as they are named and, where links lead elsewhere, as they really are. */
  readonly paths: readonly string[];
}

/** How names are compared: as they are, or as a file system might that takes some of them for the same. */
export type Spelling = (path: string) => string;

export const exactly: Spelling = (path) => path;

/** By name: names that some file system takes for one come out the same. */
export const loosely: Spelling = (path) => path.split(sep).map(loose).join(sep);

/** Code points that HFS+ leaves out of a name. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

function loose(name: string): string {
  const plain = name.normalize('NFKC').replace(IGNORED, '').toUpperCase().toLowerCase();
  if (plain.includes(sep)) return name;
  // Windows leaves out dots and spaces at the end, and has a short name for each long one.
  return plain === '.' || plain === '..' ? plain : plain.replace(/[. ]+$/, '').replace(/^git~\d+$/, '.git');
}

/** The protected path that a place is or lies in; null where it may be written as far as this goes. */
export function protectedAt(place: string, guard: Guard, spelled: Spelling = exactly): string | null {
  const [wanted, workspace] = [spelled(place), spelled(guard.workspace)];
  const found = guard.paths.find((path) => covers(spelled(path), wanted));
  if (found !== undefined) return found;
  let top = wanted;
  while (covers(workspace, dirname(top)) && dirname(top) !== workspace) top = dirname(top);
  return dirname(top) === workspace && isEnvironmentVariant(basename(top))
    ? join(guard.workspace, basename(top))
    : null;
}

/** The protected paths that lie in a folder, which would go where it goes. */
export function protectedIn(folder: string, guard: Guard, spelled: Spelling = exactly): string[] {
  const above = spelled(folder);
  return guard.paths.filter((path) => spelled(path) !== above && covers(above, spelled(path)));
}
