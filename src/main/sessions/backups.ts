import { copyFile, mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DATABASE_FILE } from './database';
import { stalePath } from './stale-backup';
import { isDamage, suspectPath } from './suspect';

/** The store's files; the log and its index belong to it as much as the file itself, and so does what was noted of it. */
const FILES = [
  DATABASE_FILE,
  `${DATABASE_FILE}-wal`,
  `${DATABASE_FILE}-shm`,
  suspectPath(DATABASE_FILE),
  stalePath(DATABASE_FILE),
];

export interface Backup {
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Where the backup is kept that Sayso makes by itself. */
export function backupPath(home: string): string {
  return join(home, 'backups', 'last.sqlite');
}

/** The last backup that Sayso made by itself; null where there is none. It was whole when it was made. */
export async function lastBackup(home: string): Promise<Backup | null> {
  const path = backupPath(home);
  const found = await stat(path).catch(() => null);
  return found === null ? null : { path, at: found.mtimeMs };
}

/** Whether a backup is still as it was made: its disk may have failed, too. Reads all of it. */
export function isSound({ path }: Backup): boolean {
  try {
    const database = new Database(path, { readonly: true, fileMustExist: true });
    try {
      return database.pragma('quick_check(1)', { simple: true }) === 'ok';
    } finally {
      database.close();
    }
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}

/**
 * Puts a damaged store aside, whole, so that it can be looked at or mended; nothing of it is deleted.
 * @returns the name that it has now
 */
export async function setAside(home: string, now: number): Promise<string> {
  const mark = timeMark(now);
  for (const name of FILES) {
    const renamed = name.replace(DATABASE_FILE, `${DATABASE_FILE}.damaged-${mark}`);
    await rename(join(home, name), join(home, renamed)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  return join(home, `${DATABASE_FILE}.damaged-${mark}`);
}

/** Puts a backup where the store was; the backup itself stays. */
export async function restoreBackup(home: string, { path }: Backup): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  await copyFile(path, join(home, DATABASE_FILE));
}

/** A time as part of a file's name: 20260331142500, of UTC. */
export function timeMark(now: number): string {
  return new Date(now)
    .toISOString()
    .slice(0, 19)
    .replace(/[^0-9]/gu, '');
}
