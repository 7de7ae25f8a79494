import type { BridgeInput, BridgeOutput } from '@shared/bridge';
import type { JournalEvent } from '@shared/events';
import type { RunId, SessionId } from '@shared/ids';
import { RunId as RunIdSchema, SessionId as SessionIdSchema } from '@shared/ids';
import { DisplayToken } from '@shared/requests';
import type { SessionSummary } from '@shared/sessions';
import type { SandboxTier } from '@shared/states';
import { z } from 'zod';
import type { PastCall } from '../approvals/grant-preview';
import type { SqliteDatabase } from './database';
import { EventPages, LASTING } from './event-pages';
import type { RunRef } from './journal';
import { parseJson, readEventRow, readSessionRow, readSessionRows } from './rows';
import { parseSearch, type SearchQuery } from './search/query';
import { matchOf } from './search/search';

type ListInput = BridgeInput<'listSessions'>;
type EventsInput = BridgeInput<'readEvents'>;

/** How many events of a conversation are read at once: a few milliseconds of them. */
const CONVERSATION_PAGE = 100;

/** How many past commands a grant is tried on: enough to judge it by, and read in a few milliseconds. */
const STARTED_DEPTH = 1_000;

/** How much of them is read: of those with long diffs, and of the others, so that the first do not crowd those out. */
const STARTED_BYTES = 2_097_152;
const STARTED_LONG = 8_192;

/** How many of the newest hits a search looks at; older ones come with a narrower query. */
const SEARCH_DEPTH = 2_000;

const StartedRow = z.object({ seq: z.number(), parts: z.string() });
const StartedParts = z.tuple([
  z.string(),
  z.string().nullable(),
  z.string(),
  z.array(DisplayToken),
  z.enum(['command', 'file', 'move', 'delete', 'arguments']),
  z.array(z.string()).nullable(),
  z.boolean().nullable(),
]);

/** Everything that is read from the store: the list, a page of a journal, a whole one. */
export class SessionReader {
  readonly #statements;
  readonly #pages: EventPages;

  constructor(database: SqliteDatabase) {
    const listed = `deleted_at IS NULL AND (@after IS NULL OR (rank, -pinned, -updated_at, id) >
      (SELECT rank, -pinned, -updated_at, id FROM sessions WHERE id = @after))`;
    // A session's state is not in the index: it is looked at before the newest are taken.
    const found = (match: string) => `SELECT e.session_id
      FROM (SELECT rowid FROM event_search WHERE event_search MATCH ${match}
        AND (@states IS NULL OR EXISTS (SELECT 1 FROM events JOIN sessions AS s ON s.id = session_id
          WHERE seq = event_search.rowid AND s.state IN (SELECT value FROM json_each(@states))))
        ORDER BY rowid DESC LIMIT ${SEARCH_DEPTH}) AS hit
      CROSS JOIN events AS e ON e.seq = hit.rowid WHERE e.at >= @since AND e.at < @until`;
    const page = 'ORDER BY rank, -pinned, -updated_at, id LIMIT @limit';
    this.#pages = new EventPages(database);
    this.#statements = {
      session: database.prepare('SELECT * FROM sessions WHERE id = ? AND deleted_at IS NULL'),
      fingerprint: database.prepare('SELECT fingerprint FROM sessions WHERE id = ?').pluck(),
      takenIn: database.prepare('SELECT taken_in_at IS NOT NULL FROM sessions WHERE id = ?').pluck(),
      list: database.prepare(`SELECT * FROM sessions WHERE ${listed} ${page}`),
      search: database.prepare(`
        SELECT * FROM sessions WHERE ${listed} AND (@states IS NULL OR state IN (SELECT value FROM json_each(@states)))
          AND ((@named AND instr(lower(title), lower(@words)) > 0) OR (@named AND instr(lower(agent), lower(@words)) > 0)
            OR ((@agents IS NULL OR agent IN (SELECT value FROM json_each(@agents))
                OR lower(agent) IN (SELECT lower(value) FROM json_each(@agents)))
              AND (@match IS NULL OR id IN (${found('@match')})))
            OR (@agents IS NOT NULL AND id IN (${found('@matchWithAgent')}))) ${page}`),
      conversation: database.prepare(`SELECT * FROM events INDEXED BY events_lasting
        WHERE session_id = ? AND ${LASTING} AND seq > ? ORDER BY seq LIMIT ${CONVERSATION_PAGE}`),
      // How long a body is stands before it: the long ones that are left out are not even read from the file.
      started: database.prepare(`
        SELECT event.seq, json_extract(event.body, '$.tool', '$.program', '$.digest', '$.command', '$.preview.kind',
          '$.preview.argv', '$.preview.shell') AS parts
        FROM (
          SELECT seq, sum(bytes) OVER (PARTITION BY bytes > ${STARTED_LONG} ORDER BY seq DESC) AS total
          FROM (SELECT seq, octet_length(body) AS bytes FROM events INDEXED BY events_lasting
            WHERE session_id = ? AND ${LASTING} AND type = 'call_started' ORDER BY seq DESC LIMIT ${STARTED_DEPTH})
        ) AS newest CROSS JOIN events AS event ON event.seq = newest.seq
        WHERE newest.total <= ${STARTED_BYTES} AND json_valid(event.body)
          AND json_type(event.body, '$.allows') IS NULL ORDER BY event.seq`),
      runStarted: database.prepare(`SELECT * FROM events INDEXED BY events_lasting
        WHERE session_id = @id AND ${LASTING} AND type = 'run_started' AND seq <= @seq ORDER BY seq DESC LIMIT 1`),
      lastStep: database.prepare(
        `SELECT * FROM events WHERE session_id = ? AND type IN ('run_started', 'user_message', 'model_started',
           'assistant_message', 'call_started', 'call_refused', 'call_result', 'tool_denied', 'notice') ORDER BY seq DESC LIMIT 1`,
      ),
      unended: database.prepare(`SELECT id, session_id FROM runs WHERE ended_at IS NULL
        AND session_id IN (SELECT id FROM sessions WHERE deleted_at IS NULL)`),
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

  /** Whether it came from a file, and the operator has not said yet what it goes on with here. */
  isTakenIn(id: SessionId): boolean {
    return this.#statements.takenIn.get(id) === 1;
  }

  /** A page of the list; of the sessions that the query finds something of, or that are named so. */
  list({ query: text, limit, after }: ListInput): BridgeOutput<'listSessions'> {
    const bounds = { after, limit: limit + 1 };
    const rows =
      text.trim() === ''
        ? this.#statements.list.all(bounds)
        : this.#statements.search.all({ ...bounds, ...listQuery(text) });
    return { sessions: readSessionRows(rows.slice(0, limit)), hasMore: rows.length > limit };
  }

  /** A page of a journal, as it is read; see EventPages. */
  events(input: EventsInput): BridgeOutput<'readEvents'> {
    return this.#pages.read(input);
  }

  /**
   * Every event of a session that its conversation is derived from, in order: all but what merely streamed. They are read
   * as they are taken, a page at a time, so that other reading and writing can come between.
   * @param behind only those that come after it
   */
  *conversationEvents(id: SessionId, behind = 0): Generator<JournalEvent> {
    for (let after = behind; ; ) {
      const page = this.#statements.conversation.all(id, after).map(readEventRow);
      yield* page;
      const last = page.at(-1);
      if (last === undefined || page.length < CONVERSATION_PAGE) return;
      after = last.seq;
    }
  }

  /** The same of its newest run alone. */
  newestRunEvents(id: SessionId): Generator<JournalEvent> {
    const row = this.#statements.runStarted.get({ id, seq: Number.MAX_SAFE_INTEGER });
    return this.conversationEvents(id, row === undefined ? 0 : readEventRow(row).seq);
  }

  /**
   * The newest commands that a session has started, oldest first, and of each what a grant is judged by. Those that might
   * do more than the agent file allows are left out: no grant ever lets one run.
   */
  startedCalls(id: SessionId): PastCall[] {
    return this.#statements.started.all(id).flatMap((row) => {
      const { seq, parts } = StartedRow.parse(row);
      const read = StartedParts.safeParse(parseJson(parts));
      if (!read.success) return [];
      const [tool, program, digest, command, kind, argv, shell] = read.data;
      const preview = kind === 'command' ? { kind, argv: argv ?? [], shell: shell ?? false } : { kind };
      return [{ seq, body: { tool, program, digest, command, preview } }];
    });
  }

  /** What the commands of a session ran in at an event, or last; null where no run has begun there. */
  runSandbox({ sessionId: id, seq }: BridgeInput<'getRunSandbox'>): SandboxTier | null {
    const row = this.#statements.runStarted.get({ id, seq: seq ?? Number.MAX_SAFE_INTEGER });
    const body = row === undefined ? null : readEventRow(row).body;
    return body?.type === 'run_started' ? body.sandbox : null;
  }

  /** The newest event that moved a session's conversation on; null where there is none. */
  lastStep(id: SessionId): JournalEvent | null {
    const row = this.#statements.lastStep.get(id);
    return row === undefined ? null : readEventRow(row);
  }

  /** Runs that a crash left without an end, as far as they can be read. */
  unendedRuns(): RunRef[] {
    const Row = z.object({ id: RunIdSchema, session_id: SessionIdSchema });
    return this.#statements.unended.all().flatMap((row) => {
      const { data } = Row.safeParse(row);
      return data === undefined ? [] : [{ runId: data.id satisfies RunId, sessionId: data.session_id }];
    });
  }
}

/** What cannot be understood as filters is looked for as it stands. */
function listQuery(text: string) {
  const parsed = parseSearch(text, Date.now());
  const query: SearchQuery = parsed.ok
    ? parsed.query
    : { ...NO_FILTERS, terms: [{ text: text.trim(), match: 'phrase' }] };
  const { agents, tools, labels, outcomes, states, since, until } = query;
  const isAnyTime = since === null && until === null;
  const hasNone = (...filters: readonly (readonly unknown[])[]) => filters.every((values) => values.length === 0);
  return {
    // What a session is or belongs to stands with itself: a fork has no entries in the index but its own.
    match: isAnyTime && hasNone(query.terms, tools, labels, outcomes) ? null : matchOf({ ...query, agents: [] }),
    matchWithAgent: matchOf(query),
    agents: agents.length === 0 ? null : JSON.stringify(agents),
    words: text.trim(),
    named: isAnyTime && hasNone(agents, tools, labels, outcomes, states) ? 1 : 0,
    since: since ?? 0,
    until: until ?? Number.MAX_SAFE_INTEGER,
    states: states.length === 0 ? null : JSON.stringify(states),
  };
}

const NO_FILTERS: SearchQuery = {
  terms: [],
  agents: [],
  tools: [],
  labels: [],
  outcomes: [],
  states: [],
  since: null,
  until: null,
};
