import { type BigIntStats, constants, lstat } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** In bytes. What names a folder is no longer. */
const MAX_NAME = 8_192;

/** What is there itself; null where nothing is, or nothing can be seen. */
export function look(path: string): Promise<BigIntStats | null> {
  // The promise of node:fs/promises costs twice as much.
  return new Promise((done) => lstat(path, { bigint: true }, (error, stats) => done(error === null ? stats : null)));
}

/** What the beginning of a file names, by a pattern with one group; null for nothing. */
export async function readName(path: string, pattern: RegExp): Promise<string | null> {
  return withFile(path, null, async (file) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_NAME), 0, MAX_NAME, 0);
    return pattern.exec(buffer.toString('utf8', 0, bytesRead))?.[1]?.trimEnd() || null;
  });
}

/** Does something with a file that is not reached through a link, and waits for nobody to write it. */
export async function withFile<T>(path: string, none: T, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(path, flags).catch(() => null);
  if (file === null) return none;
  try {
    return await work(file);
  } catch {
    return none;
  } finally {
    await file.close();
  }
}

/** The folder that a git folder has in common with others; null for none (gitrepository-layout: commondir). */
export async function commonFolderOf(folder: string): Promise<string | null> {
  const file = join(folder, 'commondir');
  const name = (await look(file)) === null ? null : await readName(file, /^([^\0\n]+)/);
  return name === null ? null : resolve(folder, name);
}
