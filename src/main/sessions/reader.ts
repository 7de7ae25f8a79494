import type { BridgeInput, BridgeOutput } from '@shared/bridge';
import type { EventOf, JournalEvent } from '@shared/events';
import type { RunId, SessionId } from '@shared/ids';
import { RunId as RunIdSchema, SessionId as SessionIdSchema } from '@shared/ids';
import type { SessionSummary } from '@shared/sessions';
import { z } from 'zod';
import type { SqliteDatabase } from './database';
import type { RunRef } from './journal';
import { readEventRow, readSessionRow, readSessionRows } from './rows';

type ListInput = BridgeInput<'listSessions'>;
type EventsInput = BridgeInput<'readEvents'>;

/** How many past commands a grant is tried on: enough to judge it by, and read in a few milliseconds. */
const STARTED_DEPTH = 1_000;

/** How many of the newest hits a search looks at; older ones come with a narrower query. */
const SEARCH_DEPTH = 2_000;

/** Everything that is read from the store: the list, a page of a journal, a whole one. */
export class SessionReader {
  readonly #statements;

  constructor(database: SqliteDatabase) {
    const page = 'ORDER BY rank, updated_at DESC, id LIMIT @limit';
    const after = `(@after IS NULL OR (rank, -updated_at, id) >
      (SELECT rank, -updated_at, id FROM sessions WHERE id = @after))`;
    this.#statements = {
      session: database.prepare('SELECT * FROM sessions WHERE id = ?'),
      fingerprint: database.prepare('SELECT fingerprint FROM sessions WHERE id = ?').pluck(),
      list: database.prepare(`SELECT * FROM sessions WHERE ${after} ${page}`),
      search: database.prepare(`
        SELECT * FROM sessions WHERE ${after} AND (
          instr(lower(title), lower(@words)) > 0 OR instr(lower(agent), lower(@words)) > 0 OR id IN (
            SELECT e.session_id FROM (SELECT rowid FROM event_text WHERE event_text MATCH @match
              ORDER BY rowid DESC LIMIT ${SEARCH_DEPTH}) AS hit JOIN events AS e ON e.seq = hit.rowid)) ${page}`),
      end: database.prepare('SELECT * FROM events WHERE session_id = @id ORDER BY seq DESC LIMIT @limit'),
      before: database.prepare(
        'SELECT * FROM events WHERE session_id = @id AND seq < @seq ORDER BY seq DESC LIMIT @limit',
      ),
      after: database.prepare('SELECT * FROM events WHERE session_id = @id AND seq > @seq ORDER BY seq LIMIT @limit'),
      conversation: database.prepare(
        "SELECT * FROM events WHERE session_id = ? AND type NOT IN ('model_delta', 'call_output') ORDER BY seq",
      ),
      started: database.prepare(
        "SELECT * FROM events WHERE session_id = ? AND type = 'call_started' ORDER BY seq DESC LIMIT ?",
      ),
      unended: database.prepare('SELECT id, session_id FROM runs WHERE ended_at IS NULL'),
    };
  }

  /** The session's summary, or null where there is none of that id. */
  session(id: SessionId): SessionSummary | null {
    const row = this.#statements.session.get(id);
    return row === undefined ? null : readSessionRow(row);
  }

  /** The session's fingerprint as it was kept; parse it before use. */
  fingerprint(id: SessionId): string {
    return z.string().parse(this.#statements.fingerprint.get(id));
  }

  list({ query, limit, after }: ListInput): BridgeOutput<'listSessions'> {
    const words = query.trim();
    const bounds = { after, limit: limit + 1 };
    const rows =
      words === ''
        ? this.#statements.list.all(bounds)
        : this.#statements.search.all({ ...bounds, words, match: matchAll(words) });
    return { sessions: readSessionRows(rows.slice(0, limit)), hasMore: rows.length > limit };
  }

  events({ sessionId: id, from, limit }: EventsInput): BridgeOutput<'readEvents'> {
    const more = limit + 1;
    if (from.at === 'after') {
      const rows = this.#statements.after.all({ id, seq: from.seq, limit: more });
      return { events: rows.slice(0, limit).map(readEventRow), hasMore: rows.length > limit };
    }
    const rows =
      from.at === 'end'
        ? this.#statements.end.all({ id, limit: more })
        : this.#statements.before.all({ id, seq: from.seq, limit: more });
    return { events: rows.slice(0, limit).reverse().map(readEventRow), hasMore: rows.length > limit };
  }

  /** Every event of a session that its conversation is derived from, in order: all but what merely streamed. */
  conversationEvents(id: SessionId): JournalEvent[] {
    return this.#statements.conversation.all(id).map(readEventRow);
  }

  /** The newest commands that a session has started, oldest first. */
  startedCalls(id: SessionId): { readonly seq: number; readonly body: EventOf<'call_started'> }[] {
    return this.#statements.started
      .all(id, STARTED_DEPTH)
      .map(readEventRow)
      .flatMap(({ seq, body }) => (body.type === 'call_started' ? [{ seq, body }] : []))
      .reverse();
  }

  /** Runs that a crash left without an end. */
  unendedRuns(): RunRef[] {
    const Row = z.object({ id: RunIdSchema, session_id: SessionIdSchema });
    return this.#statements.unended.all().map((row) => {
      const { id, session_id } = Row.parse(row);
      return { runId: id satisfies RunId, sessionId: session_id };
    });
  }
}

/** Every word as a quoted prefix: nothing that is typed is taken for FTS5 syntax. */
function matchAll(words: string): string {
  return words
    .split(/\s+/u)
    .map((word) => `"${word.replaceAll('"', '""')}"*`)
    .join(' ');
}
