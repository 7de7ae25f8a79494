import type { SessionId } from '@shared/ids';
import type { Request } from '@shared/requests';
import type { SqliteDatabase } from '../database';
import { COPIED_RUNS } from '../forks';
import { readEventRow } from '../rows';
import { STEP_ROWS, writeInSteps } from '../steps';
import { FOUND } from './fill-index';
import { type SearchEntry, searchEntry } from './search-entry';

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
