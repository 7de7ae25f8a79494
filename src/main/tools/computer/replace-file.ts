import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, type FileHandle, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ToolError } from '../tool';
import { readRegular, sha256 } from './files';
import { fileError, lstatOrNull, resolveInWorkspace, type WorkspacePath } from './workspace-path';

/** What stands in place of a hash where there is no file. */
export const ABSENT = 'absent';

/** A file that is to be written, as it is now. */
export interface WriteTarget {
  readonly path: WorkspacePath;
  /** Null where it does not exist yet. */
  readonly content: Buffer | null;
}

/**
 * Finds a file to write. Never through a link at its end: a link in the workspace may lead anywhere by the time of the
 * write.
 * @throws ToolError where it is a link, a folder, a device, not writable or too large to be shown.
 */
export async function writeTarget(workspace: string, given: string): Promise<WriteTarget> {
  const path = await resolveInWorkspace(workspace, given, 'keep');
  if (path.stats === null) {
    if (/[\\/]\.?$/.test(given)) throw new ToolError(`${given} names a folder, not a file.`);
    return { path, content: null };
  }
  if (path.stats.isSymbolicLink()) throw new ToolError(`${given} is a link. Nothing is written through a link.`);
  const content = await readRegular(path);
  await access(path.absolute, constants.W_OK).catch((error: unknown) => {
    throw fileError(error, path.relative);
  });
  return { path, content };
}

/** The hash that a decision about a file's content is bound to. */
export const contentHash = (content: Buffer | null): string => (content === null ? ABSENT : sha256(content));

/**
 * Puts new content in place of a file's in one step: readers see the old content or the new one, and a crash leaves
 * one of them. Keeps the file's mode and, for root, its owner; makes missing parent folders.
 * @throws ToolError and changes nothing where the file is no longer as it was in `target`.
 */
export async function replaceFile(workspace: string, target: WriteTarget, content: Buffer): Promise<void> {
  const { absolute, relative } = target.path;
  const folder = dirname(absolute);
  const temporary = join(folder, `.sayso-${randomUUID()}.tmp`);
  try {
    await refuseMovedFolder(await nearestFolder(folder), relative);
    await mkdir(folder, { recursive: true });
    await refuseMovedFolder(folder, relative);
    await writeTemporary(temporary, content, target);
    const now = await writeTarget(workspace, absolute);
    if (now.path.absolute !== absolute || contentHash(now.content) !== contentHash(target.content)) {
      throw new ToolError(`${relative} has changed since this was prepared. Nothing was written; read it again.`);
    }
    await refuseMovedFolder(folder, relative);
    await rename(temporary, absolute);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw fileError(error, relative);
  }
}

/** A folder that was swapped for a link since the path was resolved would lead the write elsewhere. */
async function refuseMovedFolder(folder: string, shown: string): Promise<void> {
  if ((await realpath(folder)) !== folder) throw new ToolError(`${shown}: a folder on the way was replaced by a link.`);
}

/** The folder itself or, where it is not there yet, the nearest one above it that is. */
async function nearestFolder(folder: string): Promise<string> {
  return (await lstatOrNull(folder, folder)) === null ? nearestFolder(dirname(folder)) : folder;
}

async function writeTemporary(path: string, content: Buffer, { path: { stats } }: WriteTarget): Promise<void> {
  // Not more open than the file that it is to become, from the first moment on.
  const handle: FileHandle = await open(path, 'wx', stats === null ? 0o666 : 0o600);
  try {
    await handle.writeFile(content);
    if (stats !== null) {
      if (process.getuid?.() === 0) await handle.chown(stats.uid, stats.gid);
      await handle.chmod(stats.mode & 0o7777);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}
