import type { SessionId } from '@shared/ids';
import { SessionId as SessionIdSchema } from '@shared/ids';
import type { OldSession, Removal } from '@shared/sessions';
import { OldSession as OldSessionSchema } from '@shared/sessions';
import { z } from 'zod';
import type { SqliteDatabase } from './database';
import { forksThatStay, storesAside } from './what-stays';

const DAY_MS = 86_400_000;

/**
 * When a session last moved, for a rule. What was taken in from a file keeps the times of where it comes from, and its
 * place in the list by them; here it has been since it was taken in.
 */
const MOVED_AT = 'max(updated_at, coalesce(taken_in_at, 0))';

/** How many of them are named to the operator. */
const NAMED = 100;

/** Those of them that moved last, by name: the ones that somebody may miss. */
export function nameOld(database: SqliteDatabase, ids: readonly SessionId[]): OldSession[] {
  const find = database.prepare(`SELECT id, title, ${MOVED_AT} AS updatedAt FROM sessions WHERE id = ?`);
  return ids
    .slice(-NAMED)
    .reverse()
    .map((id) => OldSessionSchema.parse(find.get(id)));
}

/** What a rule says to delete: sessions that have ended, are not pinned, and have not moved for so many days. */
export function oldSessions(database: SqliteDatabase, olderThanDays: number, now: number): SessionId[] {
  return database
    .prepare(
      `SELECT id FROM sessions WHERE rank = 2 AND pinned = 0 AND deleted_at IS NULL AND ${MOVED_AT} < ?
       ORDER BY ${MOVED_AT}`,
    )
    .pluck()
    .all(now - olderThanDays * DAY_MS)
    .map((id) => SessionIdSchema.parse(id));
}

const Counts = z.object({ events: z.number(), bytes: z.number(), auditRows: z.number() });

/** Counts what deleting these sessions would take away, and what would stay; reads all of them, so it may take a while. */
export function measureRemoval(database: SqliteDatabase, ids: readonly SessionId[]): Removal {
  const count = database.prepare(`
    SELECT count(*) AS events, coalesce(sum(length(body)), 0) AS bytes,
      (SELECT count(*) FROM audit WHERE session_id = @id AND body IS NOT NULL) AS auditRows
    FROM events WHERE session_id = @id`);
  const total = {
    sessions: 0,
    events: 0,
    bytes: 0,
    auditRows: 0,
    forks: forksThatStay(database, ids),
    aside: storesAside(database.name),
  };
  for (const id of new Set(ids)) {
    const { events, bytes, auditRows } = Counts.parse(count.get({ id }));
    total.sessions += 1;
    total.events += events;
    total.bytes += bytes;
    total.auditRows += auditRows;
  }
  return total;
}
