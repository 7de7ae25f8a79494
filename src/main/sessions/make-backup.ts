import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import type { SqliteDatabase } from './database';
import { UnsoundCopy } from './problem';
import { clearStale, staleMark } from './stale-backup';

/** Pages that are copied between two looks at what else there is to do. */
const PAGES = 400;

/**
 * Copies the whole store while it is in use, looks whether the copy is sound, and only then puts it where the last one
 * was.
 * @param report is told how many pages are copied, of how many
 * @throws UnsoundCopy, or SqliteError, when the copy is not sound: then the store itself is not
 */
export async function makeBackup(
  database: SqliteDatabase,
  path: string,
  report: (done: number, total: number) => void,
): Promise<void> {
  // Of this process alone: another Sayso may be making the same backup.
  const part = `${path}.${process.pid}.part`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await removeLeftovers(path);
  try {
    // Made here, so that nobody else may read it, not even while it is written.
    await (await open(part, 'w', 0o600)).close();
    await database.backup(part, {
      progress: ({ totalPages, remainingPages }) => {
        report(totalPages - remainingPages, totalPages);
        return PAGES;
      },
    });
    const copy = new Database(part, { fileMustExist: true });
    let verdict: unknown;
    try {
      // One file by itself: nothing else has to be kept with it.
      copy.pragma('journal_mode = DELETE');
      verdict = copy.pragma('quick_check(1)', { simple: true });
    } finally {
      copy.close();
    }
    if (verdict !== 'ok') throw new UnsoundCopy(String(verdict));
    await rename(part, path);
  } finally {
    await rm(part, { force: true });
  }
}

/**
 * Renews the backup that Sayso keeps by itself, and takes away the mark that it may hold what was deleted, unless
 * something was still being deleted.
 * @throws as `makeBackup`
 */
export async function renewBackup(
  database: SqliteDatabase,
  path: string,
  report: (done: number, total: number) => void,
): Promise<void> {
  const mark = staleMark(database.name);
  await makeBackup(database, path, report);
  if (mark !== null && !holdsDeleted(path)) clearStale(database.name, mark);
}

function holdsDeleted(path: string): boolean {
  const copy = new Database(path, { readonly: true, fileMustExist: true });
  try {
    return copy.prepare('SELECT 1 FROM sessions WHERE deleted_at IS NOT NULL LIMIT 1').get() !== undefined;
  } finally {
    copy.close();
  }
}

/** What kills have left of earlier ones: it may hold what is deleted by now. */
async function removeLeftovers(path: string): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.`)) continue;
    const pid = /^\.(\d+)\.part(?:-journal)?$/u.exec(name.slice(basename(path).length))?.[1];
    if (pid !== undefined && !isOtherAlive(Number(pid))) await rm(join(dirname(path), name), { force: true });
  }
}

function isOtherAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there, and is not ours.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
