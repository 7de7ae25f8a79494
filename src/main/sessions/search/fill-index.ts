import { z } from 'zod';
import type { SqliteDatabase } from '../database';
import { readEventRow, readRequestRow } from '../rows';
import { searchEntry } from './search-entry';

/** The kinds of event that a search finds something of. */
export const FOUND = [
  'user_message',
  'assistant_message',
  'request_opened',
  'request_settled',
  'call_started',
  'call_result',
  'tool_denied',
];

/** Fills an empty index from the journal: of every session, or of one. For a migration, an import, a repair. */
export function fillSearchIndex(database: SqliteDatabase): void {
  const types = FOUND.map((type) => `'${type}'`).join(', ');
  const events = database.prepare(`
    SELECT event.*, session.agent FROM events AS event JOIN sessions AS session ON session.id = event.session_id
    WHERE event.type IN (${types}) AND event.seq > ? ORDER BY event.seq LIMIT 1000`);
  const requests = database.prepare('SELECT body FROM requests WHERE id = ?');
  const insert = database.prepare('INSERT INTO event_search (rowid, text, facets) VALUES (?, ?, ?)');
  const Agent = z.object({ agent: z.string() });
  const request = (id: string) => readRequestRow(requests.get(id));
  for (let after = 0; ; ) {
    const rows = events.all(after);
    for (const row of rows) {
      const { seq, at, body } = readEventRow(row);
      const found = searchEntry(body, { agent: Agent.parse(row).agent, at, request });
      if (found !== null) insert.run(seq, found.text, found.facets);
      after = seq;
    }
    if (rows.length === 0) return;
  }
}
