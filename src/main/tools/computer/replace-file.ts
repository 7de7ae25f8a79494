import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { ToolError } from '../tool';
import { fileError } from './file-error';
import type { FileRules } from './file-rules';
import { readIn, readRegular, sha256 } from './files';
import type { HeldFolder } from './held-folder';
import { holdFolder } from './hold-folder';
import { type ResolvedPath, resolvePath } from './resolve-path';
import { sweepLeftovers, temporaryName } from './temporary-files';

/** What stands in place of a hash where there is no file. */
export const ABSENT = 'absent';

/** Without what lets a program run as its owner or group: new content has not earned that. */
const MODE_BITS = 0o777;

/** A file that is to be written, as it is now. */
export interface WriteTarget {
  readonly path: ResolvedPath;
  /** Null where it does not exist yet. */
  readonly content: Buffer | null;
}

/**
 * Finds a file to write. Never through a link at its end: a link in the workspace may lead anywhere by the time of the
 * write.
 * @throws ToolError where it is protected, a link, a folder, a device, not writable, too large to be shown, or another's.
 */
export async function writeTarget(rules: FileRules, given: string): Promise<WriteTarget> {
  const path = await resolvePath(rules, given, 'write', 'keep');
  if (path.stats === null) {
    if (/[\\/]\.?$/.test(given)) throw new ToolError(`${given} names a folder, not a file.`);
    return { path, content: null };
  }
  if (path.stats.isSymbolicLink()) throw new ToolError(`${given} is a link. Nothing is written through a link.`);
  const content = await readRegular(path);
  await access(path.absolute, constants.W_OK).catch((error: unknown) => {
    throw fileError(error, path.shown);
  });
  refuseForeign(path.stats, path.shown);
  return { path, content };
}

/** Only root can give a file to somebody: what takes its place would be ours. */
function refuseForeign({ uid, gid }: Stats, shown: string): void {
  const own = process.geteuid?.();
  if (own === undefined || own === 0) return;
  if (uid !== own) {
    throw new ToolError(`${shown} belongs to another user, and would not any more after it was written.`);
  }
  if (gid === process.getegid?.() || process.getgroups?.().includes(gid) === true) return;
  throw new ToolError(
    `${shown} belongs to a group that this app is not in, and would not any more after it was written.`,
  );
}

/** The hash that a decision about a file's content is bound to. */
export const contentHash = (content: Buffer | null): string => (content === null ? ABSENT : sha256(content));

/**
 * Puts new content in place of a file's in one step: readers see the old content or the new one, and a crash leaves
 * one of them, and at most one file with a temporary name beside it. Keeps the file's mode and owner, and gives a new one
 * to the owner of its folder, where this is root's app; makes missing parent folders.
 * @throws ToolError and changes nothing where the file is no longer as it was in `target`.
 */
export async function replaceFile(target: WriteTarget, content: Buffer, signal: AbortSignal): Promise<void> {
  const { absolute, shown } = target.path;
  const held = await holdFolder(dirname(absolute), shown);
  try {
    await sweepLeftovers(held.folder);
    await putIn(held.folder, basename(absolute), target, content, signal);
    await held.close('keep');
  } catch (error) {
    await held.close('remove');
    throw fileError(error, shown);
  }
}

async function putIn(
  folder: HeldFolder,
  name: string,
  target: WriteTarget,
  content: Buffer,
  signal: AbortSignal,
): Promise<void> {
  const { shown } = target.path;
  const temporary = temporaryName(randomUUID());
  try {
    await writeTemporary(folder, temporary, content, target);
    const there = await folder.lstat(name);
    if (there?.isSymbolicLink() === true) throw new ToolError(`${shown} has become a link. Nothing was written.`);
    const now = there === null ? null : await readIn(folder, name, shown);
    if (contentHash(now) !== contentHash(target.content)) {
      throw new ToolError(`${shown} has changed since this was prepared. Nothing was written; read it again.`);
    }
    signal.throwIfAborted();
    await folder.rename(temporary, folder, name);
  } catch (error) {
    await folder.removeFile(temporary).catch(() => undefined);
    throw error;
  }
}

async function writeTemporary(
  folder: HeldFolder,
  name: string,
  content: Buffer,
  { path: { stats } }: WriteTarget,
): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  // Not more open than the file that it is to become, from the first moment on.
  const handle = await folder.open(name, flags, stats === null ? 0o666 : 0o600);
  try {
    await handle.writeFile(content);
    const [owner, now] = [stats ?? (await folder.heir()), await handle.stat()];
    if (owner !== null && (owner.uid !== now.uid || owner.gid !== now.gid)) await handle.chown(owner.uid, owner.gid);
    if (stats !== null) await handle.chmod(stats.mode & MODE_BITS);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
