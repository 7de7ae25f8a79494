import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { ToolError } from '../tool';
import { fileError } from './file-error';
import { HeldFolder, type Name } from './held-folder';
import type { ResolvedPath } from './resolve-path';

/** In bytes. A file that is read or changed is held in memory, shown and hashed: no source file is larger. */
export const FILE_LIMIT = 10 * 1024 * 1024;
/** In this many bytes at the beginning of a file a NUL says that it is not text, as git does it. */
const TEXT_PROBE = 8_000;

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** Windows knows neither flag. */
const READ_FLAGS = O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);

/**
 * The whole content of the regular file at a path, and of nothing else: no link, no pipe, socket or device, and not what
 * somebody put in its place, or on the way to it, since the path was resolved.
 * @throws ToolError also where it is longer than `limit` bytes.
 */
export async function readRegular({ absolute, shown }: ResolvedPath, limit = FILE_LIMIT): Promise<Buffer> {
  const folder = await HeldFolder.open(dirname(absolute), shown);
  try {
    return await readIn(folder, basename(absolute), shown, limit);
  } finally {
    await folder.close();
  }
}

/** The same for a file in a folder that is held. @throws ToolError */
export async function readIn(folder: HeldFolder, name: Name, shown: string, limit = FILE_LIMIT): Promise<Buffer> {
  try {
    const handle = await folder.open(name, READ_FLAGS);
    try {
      return await whole(handle, shown, limit);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw fileError(error, shown);
  }
}

async function whole(handle: FileHandle, shown: string, limit: number): Promise<Buffer> {
  const stats = await handle.stat();
  if (stats.isDirectory()) throw new ToolError(`${shown} is a folder.`);
  if (!stats.isFile()) throw new ToolError(`${shown} is not a regular file.`);
  const content = stats.size > limit ? null : await readUpTo(handle, limit);
  if (content !== null) return content;
  throw new ToolError(`${shown} is too large: ${stats.size} bytes, at most ${limit} can be read.`);
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
