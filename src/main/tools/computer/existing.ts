import type { Stats } from 'node:fs';
import { ToolError } from '../tool';
import { identity } from './measure';
import { lstatOrNull, resolveInWorkspace, type WorkspacePath } from './workspace-path';

/** Something in the workspace, and not the workspace itself; a link is itself, not what it leads to. */
export type ExistingPath = WorkspacePath & { readonly stats: Stats };

/** @throws ToolError where there is nothing, or where it is the workspace. */
export async function existingPath(workspace: string, given: string): Promise<ExistingPath> {
  const path = await resolveInWorkspace(workspace, given, 'keep');
  if (path.relative === '.') throw new ToolError('The workspace itself is never moved or deleted.');
  if (path.stats === null) throw new ToolError(`${path.relative}: there is no such file or folder.`);
  return { ...path, stats: path.stats };
}

/** @throws ToolError where it is no longer what it was when the operator saw it. */
export async function refuseChanged(workspace: string, path: ExistingPath): Promise<void> {
  const now = await resolveInWorkspace(workspace, path.absolute, 'keep');
  if (now.absolute !== path.absolute || now.stats === null || identity(now.stats) !== identity(path.stats)) {
    throw new ToolError(`${path.relative} has changed since this was prepared. Nothing was done.`);
  }
}

/** @throws ToolError where there is something. */
export async function refuseExisting(path: WorkspacePath): Promise<void> {
  if ((await lstatOrNull(path.absolute, path.relative)) !== null) {
    throw new ToolError(`${path.relative} exists already. Delete it first, or choose another name.`);
  }
}
