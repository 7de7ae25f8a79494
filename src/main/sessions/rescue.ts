import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { timeMark } from './backups';
import type { SqliteDatabase } from './database';
import { makeBackup } from './make-backup';
import type { StoreFile } from './store-file';

export type Rescued =
  /** All of it lies in its place again. */
  | { readonly kind: 'put-back'; readonly path: string }
  /** Another file had taken its place: that one stays, and this is where all of the other lies. */
  | { readonly kind: 'aside'; readonly path: string };

/**
 * Saves a store whose file was removed or replaced while it was open: all of it is still to be read through the open
 * connection, and nowhere else. Closes the connection.
 * @throws whatever keeps it from being written; then the connection stays open
 */
export async function rescueStore(database: SqliteDatabase, storeFile: StoreFile, now: number): Promise<Rescued> {
  const { path: file } = storeFile;
  const saved = `${file}.rescued-${timeMark(now)}`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await makeBackup(database, saved, () => {});
  database.close();
  if (await storeFile.isReplaced()) return { kind: 'aside', path: saved };
  // They belong to the file that has gone; beside another one they would be taken for its own.
  for (const rest of [`${file}-wal`, `${file}-shm`]) await rm(rest, { force: true });
  await rename(saved, file);
  return { kind: 'put-back', path: file };
}
