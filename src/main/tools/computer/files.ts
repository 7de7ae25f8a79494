import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ToolError } from '../tool';
import { fileError, type WorkspacePath } from './workspace-path';

/** In bytes. A file that is read or changed is held in memory, shown and hashed: no source file is larger. */
export const FILE_LIMIT = 10 * 1024 * 1024;
/** In this many bytes at the beginning of a file a NUL says that it is not text, as git does it. */
const TEXT_PROBE = 8_000;

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** Windows knows neither flag. */
const READ_FLAGS = O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);

/**
 * Opens a regular file of the workspace and nothing else: no link, no pipe, socket or device, and not what somebody put
 * in its place since the path was resolved. The caller closes it.
 * @throws ToolError
 */
export async function openRegular(path: WorkspacePath): Promise<FileHandle> {
  const handle = await open(path.absolute, READ_FLAGS).catch((error: unknown) => {
    throw fileError(error, path.relative);
  });
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new ToolError(`${path.relative} is a folder.`);
    if (!stats.isFile()) throw new ToolError(`${path.relative} is not a regular file.`);
    if (!(await isStillAt(handle, path.absolute))) {
      throw new ToolError(`${path.relative} was replaced while it was being opened.`);
    }
    return handle;
  } catch (error) {
    await handle.close();
    throw fileError(error, path.relative);
  }
}

/** Whether what was opened is what stands at the path, and no link has come to be on the way to it. */
async function isStillAt(handle: FileHandle, path: string): Promise<boolean> {
  if (process.platform === 'linux') return (await readlink(`/proc/self/fd/${handle.fd}`)) === path;
  const [opened, there, folder] = await Promise.all([handle.stat(), lstat(path), realpath(dirname(path))]);
  // Not the real path itself: where case does not count it may be spelled in another way than it was asked for.
  return folder === dirname(path) && opened.ino === there.ino && opened.dev === there.dev;
}

/**
 * The whole content of a regular file.
 * @throws ToolError also where it is longer than `limit` bytes.
 */
export async function readRegular(path: WorkspacePath, limit = FILE_LIMIT): Promise<Buffer> {
  const handle = await openRegular(path);
  try {
    const { size } = await handle.stat();
    const content = size > limit ? null : await readUpTo(handle, limit);
    if (content !== null) return content;
    throw new ToolError(`${path.relative} is too large: ${size} bytes, at most ${limit} can be read.`);
  } catch (error) {
    throw fileError(error, path.relative);
  } finally {
    await handle.close();
  }
}

/** Null where there is more: a file may grow, and those in /proc say that they are empty. */
async function readUpTo(handle: FileHandle, limit: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  for (let total = 0; ; ) {
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.allocUnsafe(65_536) });
    if (bytesRead === 0) return Buffer.concat(chunks);
    total += bytesRead;
    if (total > limit) return null;
    chunks.push(buffer.subarray(0, bytesRead));
  }
}

export const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Whether the content is to be treated as bytes, not as text. */
export const isBinary = (content: Buffer): boolean => content.subarray(0, TEXT_PROBE).includes(0);

/** The text of a file with its byte order mark and line endings; null where it is not UTF-8. */
export function decodeText(content: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return null;
  }
}
