import type { Stats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { covers } from '../../sandbox/paths';
import { refuseNul } from '../json-arguments';
import { ToolError } from '../tool';
import { codeOf, fileError } from './file-error';
import type { FileRules } from './file-rules';
import { refuseProtected } from './refuse-protected';
import { refuseUnreachable, type Use } from './refuse-unreachable';

/** A place that may be used as it was asked for, with no link on the way to it. */
export interface ResolvedPath {
  /** Real up to its parent folder; the last name may itself be a link where links are kept. */
  readonly absolute: string;
  /** As the operator is shown it: from the workspace, where it lies in it (`.` is itself), and else absolute. */
  readonly shown: string;
  /** Of the thing itself, not of what a link leads to; null where there is nothing. */
  readonly stats: Stats | null;
}

/**
 * Finds what a path that a model wrote stands for: relative to the workspace, or absolute and in what the agent file
 * opens, also after every link on the way was followed.
 * @param last `follow` goes through a link at the end, which must lead to where it may; `keep` means the link itself.
 * @throws ToolError where it leads elsewhere, is protected from this use, leads through a link to nothing, in a loop, or
 * cannot be a path.
 */
export async function resolvePath(
  rules: FileRules,
  path: string,
  use: Use,
  last: 'follow' | 'keep',
): Promise<ResolvedPath> {
  if (path === '') throw new ToolError('The path is empty.');
  refuseNul('The path', path);
  const { workspace } = rules;
  const wanted = resolve(workspace, path);
  // A drive's relative path, a device or a stream of a file: none of them is a name in a folder.
  if (process.platform === 'win32' && relative(workspace, wanted).includes(':')) {
    throw new ToolError(`${path} is not the name of a file.`);
  }
  const given = { path, isLocal: !isAbsolute(path) || covers(workspace, wanted) };
  const place =
    wanted === workspace || dirname(wanted) === wanted
      ? wanted
      : join(await realFolder(dirname(wanted), path), basename(wanted));
  const kept = await placeAt(rules, place, given, use);
  if (last === 'keep' || kept.stats?.isSymbolicLink() !== true) return kept;
  return placeAt(rules, await follow(place, path), given, use);
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

async function placeAt(
  rules: FileRules,
  place: string,
  given: { readonly path: string; readonly isLocal: boolean },
  use: Use,
): Promise<ResolvedPath> {
  refuseUnreachable(rules, place, given, use);
  const shown = rules.show(place);
  if (use === 'write') await refuseProtected(rules, place, shown);
  return { absolute: place, shown, stats: await lstatOrNull(place, given.path) };
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
