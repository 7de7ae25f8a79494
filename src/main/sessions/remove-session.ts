import { setTimeout as wait } from 'node:timers/promises';
import type { SessionId } from '@shared/ids';
import { SessionId as SessionIdSchema } from '@shared/ids';
import type { SqliteDatabase } from './database';
import { forgetTitle } from './forget-title';
import { forkParents } from './forks';
import { oldSessions } from './retention';
import { indexFork } from './search/index-forks';
import { markBackupStale } from './stale-backup';
import { inTheMaking, repeatInSteps } from './steps';

/** How often the log is asked to be emptied while somebody reads it. */
const CHECKPOINT_TRIES = 5;

/** How long it may wait for readers each time: nobody can write meanwhile. */
const CHECKPOINT_MS = 100;

export interface Removed {
  readonly deleted: SessionId[];
  readonly changed: SessionId[];
}

/**
 * Removes sessions from the file: at once from every list, then bit by bit with all that was said and run. Of what was
 * decided in them the audit keeps the hashes, so that its chain still holds. What a kill leaves half done is done by the
 * next call. What forks of them took over is found in the forks from then on. SQLite overwrites what it frees
 * (secure_delete, also in the search index).
 */
export class SessionRemover {
  readonly #statements;

  constructor(private readonly database: SqliteDatabase) {
    // Only of what is still marked: another process may have made it whole meanwhile.
    const marked = 'session_id IN (SELECT id FROM sessions WHERE id = @id AND deleted_at IS NOT NULL)';
    const part = (table: string, key: string) =>
      database.prepare(`DELETE FROM ${table} WHERE ${key} IN
        (SELECT ${key} FROM ${table} WHERE ${marked} ORDER BY ${key} LIMIT @limit)`);
    this.#statements = {
      mark: database.prepare(`UPDATE sessions SET deleted_at = ?, title = '', detail = '', workspace = '', origin = NULL
        WHERE id = ? AND deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM holders WHERE session_id = sessions.id)`),
      marked: database.prepare('SELECT id FROM sessions WHERE deleted_at IS NOT NULL').pluck(),
      // What somebody could still act on goes together with the mark; there are only ever a few of it.
      pending: database.prepare("DELETE FROM requests WHERE session_id = ? AND state = 'pending'"),
      live: database.prepare('DELETE FROM grants WHERE session_id = ? AND revoked_at IS NULL'),
      audit: database.prepare(`UPDATE audit SET body = NULL WHERE seq IN
        (SELECT seq FROM audit WHERE ${marked} AND body IS NOT NULL LIMIT @limit)`),
      // Runs first: every session has one, so whoever makes this one sees by them that it is being cleared.
      rows: [part('runs', 'rowid'), part('requests', 'rowid'), part('grants', 'rowid')],
      events: part('events', 'seq'),
      session: database.prepare('DELETE FROM sessions WHERE id = ? AND deleted_at IS NOT NULL'),
    };
  }

  /**
   * Whoever runs one of them holds it in the store, from before the run's start until its end is on record: that one
   * stays. The mark and the hold exclude each other, so no run starts in what is marked.
   * @param report is told how many events are gone so far, for the first time when the sessions are out of every list
   * @param olderThanDays where a rule chose them: those that have moved or were pinned since stay, too
   * @returns those that were deleted, and those that had a title from them
   */
  async remove(
    ids: readonly SessionId[],
    report: (events: number) => void,
    olderThanDays: number | null = null,
  ): Promise<Removed> {
    const now = Date.now();
    const removed = this.database
      .transaction(() => {
        const old = olderThanDays === null ? null : new Set(oldSessions(this.database, olderThanDays, now));
        const deleted = ids.filter((id) => (old === null || old.has(id)) && this.#mark(id, now));
        return { deleted, changed: [...new Set(deleted.flatMap((id) => forgetTitle(this.database, id)))] };
      })
      .immediate();
    report(0);
    await this.finish(report);
    return removed;
  }

  #mark(id: SessionId, now: number): boolean {
    const { mark, pending, live } = this.#statements;
    if (mark.run(now, id).changes === 0) return false;
    pending.run(id);
    live.run(id);
    return true;
  }

  /**
   * Goes on with whatever is marked, of this call or of one that was killed; also a session that was left half made.
   * Then it empties the log, in which the last deletion may have left something.
   * @returns whether the log is empty: it is not while somebody reads it
   */
  async finish(report: (events: number) => void): Promise<boolean> {
    let gone = 0;
    const making = inTheMaking(this.database);
    const marked = this.#statements.marked.all().map((id) => SessionIdSchema.parse(id));
    const going = marked.filter((id) => !making.has(id));
    const forks = going.length === 0 ? [] : [...forkParents(this.database)];
    if (going.length > 0) markBackupStale(this.database.name);
    for (const id of going) {
      // Before anything of it goes: until then, what they took over is found in it.
      for (const [fork, parent] of forks) if (parent === id) await indexFork(this.database, fork);
      await this.clear(id, (events) => {
        gone += events;
        report(gone);
      });
    }
    return this.#emptyLog();
  }

  /** Takes away all of one session, if it is marked. */
  async clear(id: SessionId, report: (events: number) => void = () => {}): Promise<void> {
    const { audit, rows, events, session } = this.#statements;
    for (const statement of [...rows, audit]) {
      await repeatInSteps(
        (limit) => statement.run({ id, limit }).changes,
        () => {},
      );
    }
    await repeatInSteps((limit) => events.run({ id, limit }).changes, report);
    session.run(id);
  }

  /** The log still holds the pages as they were before: it is written back and cut to nothing. */
  async #emptyLog(): Promise<boolean> {
    const timeout = Number(this.database.pragma('busy_timeout', { simple: true }));
    for (let tries = 0; tries < CHECKPOINT_TRIES; tries += 1) {
      // Most of it is written back while others may write; cutting it then takes the lock for a moment only.
      this.database.pragma('wal_checkpoint(PASSIVE)');
      this.database.pragma(`busy_timeout = ${CHECKPOINT_MS}`);
      let busy: number;
      try {
        [{ busy }] = this.database.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }];
      } finally {
        this.database.pragma(`busy_timeout = ${timeout}`);
      }
      if (busy === 0) return true;
      await wait(CHECKPOINT_MS);
    }
    return false;
  }
}
