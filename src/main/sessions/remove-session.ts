import { setImmediate } from 'node:timers/promises';
import type { SessionId } from '@shared/ids';
import { SessionId as SessionIdSchema } from '@shared/ids';
import type { SqliteDatabase } from './database';

/** Events that go in one transaction: a few milliseconds, so that a run that writes meanwhile hardly waits. */
const BATCH = 500;

/** How often the log is asked to be emptied while somebody reads it. */
const CHECKPOINT_TRIES = 20;

/**
 * Removes sessions from the file: at once from every list, then bit by bit with all that was said and run. Of what was
 * decided in them the audit keeps the hashes, so that its chain still holds. What a kill leaves half done is done by the
 * next call. SQLite overwrites what it frees (secure_delete, also in the search index).
 */
export class SessionRemover {
  readonly #statements;

  constructor(private readonly database: SqliteDatabase) {
    this.#statements = {
      mark: database.prepare(`UPDATE sessions SET deleted_at = ?, title = '', detail = '', workspace = '', origin = NULL
        WHERE id = ? AND deleted_at IS NULL`),
      marked: database.prepare('SELECT id FROM sessions WHERE deleted_at IS NOT NULL').pluck(),
      requests: database.prepare('DELETE FROM requests WHERE session_id = ?'),
      grants: database.prepare('DELETE FROM grants WHERE session_id = ?'),
      audit: database.prepare('UPDATE audit SET body = NULL WHERE session_id = ? AND body IS NOT NULL'),
      events: database.prepare(`DELETE FROM events WHERE seq IN
        (SELECT seq FROM events WHERE session_id = ? ORDER BY seq LIMIT ${BATCH})`),
      session: database.prepare('DELETE FROM sessions WHERE id = ?'),
    };
  }

  /** @param report is told how many events are gone so far */
  async remove(ids: readonly SessionId[], report: (events: number) => void): Promise<void> {
    const { mark, requests, grants, audit } = this.#statements;
    const now = Date.now();
    this.database.transaction(() => {
      for (const id of ids) {
        mark.run(now, id);
        requests.run(id);
        grants.run(id);
        audit.run(id);
      }
    })();
    await this.finish(report);
  }

  /** Goes on with whatever is marked, of this call or of one that was killed. */
  async finish(report: (events: number) => void): Promise<void> {
    let gone = 0;
    const marked = this.#statements.marked.all().map((id) => SessionIdSchema.parse(id));
    for (const id of marked) {
      for (;;) {
        const { changes } = this.#statements.events.run(id);
        if (changes === 0) break;
        gone += changes;
        report(gone);
        await setImmediate();
      }
      this.#statements.session.run(id);
    }
    if (marked.length > 0) await this.#emptyLog();
  }

  /** The log still holds the pages as they were before: it is written back and cut to nothing. */
  async #emptyLog(): Promise<void> {
    for (let tries = 0; tries < CHECKPOINT_TRIES; tries += 1) {
      const [result] = this.database.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }];
      if (result.busy === 0) return;
      await setImmediate();
    }
  }
}
