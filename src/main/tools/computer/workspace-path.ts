import type { Stats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { refuseNul } from '../json-arguments';
import { ToolError } from '../tool';

/** A place in the workspace, with no link on the way to it. */
export interface WorkspacePath {
  /** Real up to its parent folder; the last name may itself be a link where links are kept. */
  readonly absolute: string;
  /** From the workspace, as the operator is shown it; `.` is the workspace itself. */
  readonly relative: string;
  /** Of the thing itself, not of what a link leads to; null where there is nothing. */
  readonly stats: Stats | null;
}

/**
 * Finds what a path that a model wrote stands for: relative to the workspace, or absolute and inside it, also after
 * every link on the way was followed.
 * @param workspace the real path of the workspace.
 * @param last `follow` goes through a link at the end, which must lead inside as well; `keep` means the link itself.
 * @throws ToolError where it leads outside, through a link to nothing, in a loop, or cannot be a path.
 */
export async function resolveInWorkspace(
  workspace: string,
  path: string,
  last: 'follow' | 'keep',
): Promise<WorkspacePath> {
  if (path === '') throw new ToolError('The path is empty.');
  refuseNul('The path', path);
  const wanted = resolve(workspace, path);
  // A drive's relative path, a device or a stream of a file: none of them is a name in a folder.
  if (process.platform === 'win32' && relative(workspace, wanted).includes(':')) throw outside(path);
  const place = wanted === workspace ? workspace : join(await realFolder(dirname(wanted), path), basename(wanted));
  const kept = await placeAt(workspace, place, path);
  if (last === 'keep' || kept.stats?.isSymbolicLink() !== true) return kept;
  return placeAt(workspace, await follow(place, path), path);
}

/** Whether a place is the folder or in it, by its name alone. */
export function isInside(folder: string, place: string): boolean {
  const way = relative(folder, place);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The thing itself at a path, or null. @throws ToolError where it cannot be told. */
export async function lstatOrNull(place: string, shown: string): Promise<Stats | null> {
  try {
    return await lstat(place);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw fileError(error, shown);
  }
}

/** What went wrong with a file, in words. */
export function fileError(error: unknown, shown: string): ToolError {
  const code = codeOf(error);
  const words = MESSAGES[code] ?? (error instanceof Error ? error.message : String(error));
  return error instanceof ToolError ? error : new ToolError(`${shown}: ${words}.`);
}

const MESSAGES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  ELOOP: 'links on the way lead in a circle, or to something that changed meanwhile',
  EACCES: 'this app may not open it',
  EPERM: 'this app may not change it',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'no space is left on the disk',
  EROFS: 'the disk is read-only',
  EXDEV: 'it would go to another disk, which cannot be done in one step',
  ENXIO: 'it is not a regular file',
};

async function placeAt(workspace: string, place: string, path: string): Promise<WorkspacePath> {
  if (!isInside(workspace, place)) throw outside(path);
  return { absolute: place, relative: relative(workspace, place) || '.', stats: await lstatOrNull(place, path) };
}

/** The real path of a folder of which the last parts may not exist yet. */
async function realFolder(folder: string, path: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw fileError(error, path);
    // It is there and yet has no real path: a link to nothing. Its target could be made to exist later.
    if ((await lstatOrNull(folder, path)) !== null) throw new ToolError(`${path}: a link on the way leads to nothing.`);
    return join(await realFolder(dirname(folder), path), basename(folder));
  }
}

async function follow(link: string, path: string): Promise<string> {
  try {
    return await realpath(link);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw new ToolError(`${path} is a link that leads to nothing.`);
    throw fileError(error, path);
  }
}

const outside = (path: string): ToolError =>
  new ToolError(`${path} lies outside the workspace. Only what is in the workspace can be reached.`);

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
