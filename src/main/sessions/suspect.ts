import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { UnsoundCopy } from './problem';

/** So much is kept of what SQLite says: it may list a hundred places. */
const WORDS = 1_000;

/**
 * The mark beside a store in which damage was found while it was open. It outlives a quit: the next start checks the
 * whole store before anything else, and no backup is made of it by itself until then.
 */
export function suspectPath(file: string): string {
  return `${file}.suspect`;
}

/** Whether an error means that the store's own content is not what SQLite wrote. */
export function isDamage(error: unknown): error is Error {
  if (error instanceof UnsoundCopy) return true;
  return error instanceof Database.SqliteError && /^SQLITE_(?:CORRUPT|NOTADB)/u.test(error.code);
}

/**
 * Puts the mark there, so that it survives a power cut. What stands there already stays: the first finding tells most.
 * @param file the store
 * @returns false where nothing can be written: whoever tells the operator of the damage then says that, too
 */
export function markSuspect(file: string, found: string): boolean {
  if (isSuspect(file)) return true;
  try {
    const mark = openSync(suspectPath(file), 'w', 0o600);
    try {
      writeSync(mark, `${oneLine(found)}\n`);
      fsyncSync(mark);
    } finally {
      closeSync(mark);
    }
    return true;
  } catch (error) {
    console.error('The store is damaged, and that could not be noted beside it:', error);
    return false;
  }
}

/** Marks the store if the error means damage; any other error is none of it. */
export function markIfDamaged(file: string, error: unknown): void {
  if (isDamage(error)) markSuspect(file, error.message);
}

/** Whether the mark stands there; what cannot be read stands there. */
export function isSuspect(file: string): boolean {
  try {
    readFileSync(suspectPath(file));
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

/** After a check of the whole store that found nothing. */
export function clearSuspect(file: string): void {
  rmSync(suspectPath(file), { force: true });
}

/** What SQLite says of a damage, as one line. */
export function oneLine(found: string): string {
  return found
    .replace(/\*{3} in database \w+ \*{3}/gu, '')
    .replace(/\s+/gu, ' ')
    .trim()
    .slice(0, WORDS);
}
