import { type SessionId, SessionId as SessionIdSchema } from '@shared/ids';
import { SessionOrigin } from '@shared/sessions';
import { z } from 'zod';
import type { SqliteDatabase } from './database';

/**
 * The runs that hold what forks took over, as a subquery: everything of it stands in one run, which began and was over in
 * the moment in which the fork was made.
 */
export const COPIED_RUNS = `
  SELECT run.id FROM runs AS run JOIN sessions AS fork ON fork.id = run.session_id
  WHERE CASE WHEN json_valid(fork.origin) THEN json_extract(fork.origin, '$.kind') = 'fork' END
    AND run.started_at = fork.created_at AND run.ended_at = fork.created_at`;

const Rows = z.array(z.object({ id: SessionIdSchema, origin: z.string() }));

/** The forks that are not being deleted, each with the session that it was forked from, which may be gone. */
export function forkParents(database: SqliteDatabase): ReadonlyMap<SessionId, SessionId> {
  const rows = database
    .prepare('SELECT id, origin FROM sessions WHERE origin IS NOT NULL AND deleted_at IS NULL')
    .all();
  return new Map(
    Rows.parse(rows).flatMap(({ id, origin }) => {
      const read = readOrigin(origin);
      return read?.kind === 'fork' ? [[id, read.sessionId] as const] : [];
    }),
  );
}

/** null for what cannot be read. */
export function readOrigin(origin: string): SessionOrigin | null {
  try {
    return SessionOrigin.parse(JSON.parse(origin));
  } catch {
    return null;
  }
}
