import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';

/**
 * The mark beside a store whose backup may hold what was deleted. It stands from before anything of a session is taken
 * away until a backup without it has taken the place of the last, so that a kill in between leaves it.
 */
export function stalePath(file: string): string {
  return `${file}.stale-backup`;
}

/**
 * Puts the mark there, a new one each time: a backup that was begun before takes away only the one that it found.
 * @param file the store
 * @throws whatever keeps it from being written: then nothing is to be deleted yet
 */
export function markBackupStale(file: string): void {
  const mark = openSync(stalePath(file), 'w', 0o600);
  try {
    writeSync(mark, `${randomUUID()}\n`);
    fsyncSync(mark);
  } finally {
    closeSync(mark);
  }
}

/** The mark, to be taken away by `clearStale`; null where there is none. What cannot be read stands there. */
export function staleMark(file: string): string | null {
  try {
    return readFileSync(stalePath(file), 'utf8');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : '';
  }
}

/** After a backup that holds nothing of what was deleted; another mark than this one stays. */
export function clearStale(file: string, mark: string): void {
  if (staleMark(file) === mark) rmSync(stalePath(file), { force: true });
}
