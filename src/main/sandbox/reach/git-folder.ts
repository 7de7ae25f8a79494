import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { GitFolder } from './protected';

/** In bytes. What names a folder is no longer. */
const MAX_LENGTH = 8_192;

/** What a folder has as its `.git`, without following a link. */
export async function gitFolderOf(folder: string): Promise<GitFolder> {
  const path = join(folder, '.git');
  const stats = await lstat(path).catch(() => null);
  if (stats === null) return { kind: 'missing' };
  if (stats.isDirectory() || stats.isSymbolicLink()) return { kind: 'folder' };
  return { kind: 'file', leadsTo: stats.isFile() ? await named(path, folder) : null };
}

async function named(path: string, folder: string): Promise<string | null> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(path, flags).catch(() => null);
  if (file === null) return null;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_LENGTH), 0, MAX_LENGTH, 0);
    const name = /^gitdir: ([^\0\n]+)/.exec(buffer.toString('utf8', 0, bytesRead))?.[1]?.trimEnd();
    return name === undefined || name === '' ? null : resolve(folder, name);
  } catch {
    return null;
  } finally {
    await file.close();
  }
}
