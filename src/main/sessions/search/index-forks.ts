import { type SessionId, SessionId as SessionIdSchema } from '@shared/ids';
import type { Request } from '@shared/requests';
import { z } from 'zod';
import { COPIED_RUNS } from '../copied';
import type { SqliteDatabase } from '../database';
import { readEventRow } from '../rows';
import { STEP_ROWS, writeInSteps } from '../steps';
import { FOUND } from './fill-index';
import { type SearchEntry, searchEntry } from './search-entry';

/** The forks of these sessions that are not being deleted themselves. */
export function forksOf(database: SqliteDatabase, ids: readonly SessionId[]): Map<SessionId, SessionId[]> {
  const Row = z.object({ id: SessionIdSchema, of: SessionIdSchema });
  const rows = database
    .prepare(
      `SELECT id, json_extract(origin, '$.sessionId') AS "of" FROM sessions
       WHERE deleted_at IS NULL AND CASE WHEN json_valid(origin) THEN json_extract(origin, '$.kind') = 'fork' END`,
    )
    .all();
  const forks = new Map<SessionId, SessionId[]>();
  for (const row of rows) {
    const { id, of } = Row.parse(row);
    if (ids.includes(of)) forks.set(of, [...(forks.get(of) ?? []), id]);
  }
  return forks;
}

interface Indexed extends SearchEntry {
  readonly seq: number;
}

/**
 * Has a search find what a fork took over in the fork itself, as its origin goes, where it was found until now. In short
 * steps; what a kill leaves undone is done by the next call.
 */
export async function indexFork(database: SqliteDatabase, id: SessionId): Promise<void> {
  // The fork may go meanwhile, too: what would be left of it in the index would never go.
  const insert = database.prepare(`INSERT INTO event_search (rowid, text, facets)
    SELECT @seq, @text, @facets WHERE EXISTS (SELECT 1 FROM events WHERE seq = @seq)
      AND NOT EXISTS (SELECT 1 FROM event_search WHERE rowid = @seq)`);
  await writeInSteps(database, copiedEntries(database, id), (entry) => insert.run(entry));
}

function* copiedEntries(database: SqliteDatabase, id: SessionId): Generator<Indexed> {
  const agent = database.prepare('SELECT agent FROM sessions WHERE id = ?').pluck().get(id);
  if (typeof agent !== 'string') return;
  const types = FOUND.map((type) => `'${type}'`).join(', ');
  const page = database.prepare(`SELECT * FROM events WHERE session_id = ? AND seq > ? AND type IN (${types})
    AND run_id IN (${COPIED_RUNS}) ORDER BY seq LIMIT ${STEP_ROWS}`);
  // The requests themselves are the origin's, and may have gone with the origin of that one.
  const requests = new Map<string, Request>();
  const request = (requestId: string) => requests.get(requestId) ?? null;
  for (let after = 0; ; ) {
    const events = page.all(id, after).map(readEventRow);
    for (const { seq, at, body } of events) {
      after = seq;
      if (body.type === 'request_opened') requests.set(body.request.id, body.request);
      const entry = searchEntry(body, { agent, at, request });
      if (entry !== null) yield { seq, ...entry };
      if (body.type === 'request_settled') requests.delete(body.requestId);
    }
    if (events.length === 0) return;
  }
}
