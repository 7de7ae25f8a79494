import type { Stats } from 'node:fs';
import { basename } from 'node:path';
import { ToolError } from '../tool';
import type { FileRules } from './file-rules';
import type { HeldFolder } from './held-folder';
import { identity } from './measure';
import { refuseHolding } from './refuse-protected';
import { type ResolvedPath, resolvePath } from './resolve-path';

/** Something that can be moved or deleted; a link is itself, not what it leads to. */
export type ExistingPath = ResolvedPath & { readonly stats: Stats };

/** @throws ToolError where there is nothing, or where it has to stay. */
export async function existingPath(rules: FileRules, given: string): Promise<ExistingPath> {
  const path = await resolvePath(rules, given, 'write', 'keep');
  await refuseHolding(rules, path.absolute, path.shown);
  if (path.stats === null) throw new ToolError(`${path.shown}: there is no such file or folder.`);
  return { ...path, stats: path.stats };
}

/** @param folder the one that it is in. @throws ToolError where it is no longer what it was when the operator saw it */
export async function refuseChanged(folder: HeldFolder, { absolute, shown, stats }: ExistingPath): Promise<void> {
  const now = await folder.lstat(basename(absolute));
  if (now === null || identity(now) !== identity(stats)) {
    throw new ToolError(`${shown} has changed since this was prepared. Nothing was done.`);
  }
}

export const existsAlready = (shown: string): ToolError =>
  new ToolError(`${shown} exists already. Delete it first, or choose another name.`);
