import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { SessionId } from '@shared/ids';
import { isTerminal } from '@shared/states';
import Database from 'better-sqlite3';
import { GENESIS, linkHash } from '../audit-chain';
import type { SqliteDatabase } from '../database';
import { SessionProblem } from '../problem';
import { searchEntry } from '../search/search-entry';
import { LineReader, type TransferRecord } from './records';

/** How many lines go by between two reports. */
const REPORT_EVERY = 1_000;

type RecordOf<K extends TransferRecord['kind']> = Extract<TransferRecord, { kind: K }>;

/** What is kept in memory of a file: all but its events, which wait in a temporary table. */
interface Staged {
  readonly head: RecordOf<'session'>;
  readonly runs: RecordOf<'run'>[];
  readonly requests: Map<string, RecordOf<'request'>>;
  readonly grants: RecordOf<'grant'>[];
  readonly audit: RecordOf<'audit'>[];
  events: number;
  ended: boolean;
}

/**
 * Takes in a session from JSON Lines. Every line is checked before anything is written, and then all of it is written in
 * one transaction: a session is here whole or not at all. Its ids stay what they were, its events get the next seqs, and
 * its decisions are added to the end of this store's audit. What was remembered elsewhere is not honoured here, and a
 * mode that does not ask is not taken over: a file must not be able to let anything run.
 * @param report is told how many lines were read
 * @returns the session's id
 * @throws SessionProblem that names the line that is wrong, or says that the session is here already
 */
export async function importSession(
  database: SqliteDatabase,
  path: string,
  report: (lines: number) => void,
): Promise<SessionId> {
  database.exec(`
    CREATE TEMP TABLE IF NOT EXISTS staged (
      number INTEGER PRIMARY KEY, run_id TEXT, at INTEGER, type TEXT, body TEXT, text TEXT, facets TEXT);
    DELETE FROM staged;`);
  try {
    const staged = await stage(database, path, report);
    return write(database, staged);
  } finally {
    database.exec('DELETE FROM staged');
  }
}

async function stage(database: SqliteDatabase, path: string, report: (lines: number) => void): Promise<Staged> {
  const reader = new LineReader();
  const input = createReadStream(path, { encoding: 'utf8' });
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  let staged: Staged | null = null;
  const insert = database.prepare(
    'INSERT INTO staged (number, run_id, at, type, body) VALUES (@seq, @runId, @at, @type, @body)',
  );
  try {
    for await (const line of lines) {
      const read = reader.read(line);
      if (!read.ok) throw wrong(read.problem);
      const { record } = read;
      if (staged === null) {
        if (record.kind !== 'session') throw wrong('Line 1 is not the beginning of a session.');
        staged = begin(database, record);
      } else {
        take(record, staged, reader.lines, (event) =>
          insert.run({ ...event, type: event.body.type, body: JSON.stringify(event.body) }),
        );
      }
      if (reader.lines % REPORT_EVERY === 0) report(reader.lines);
    }
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT')) {
      throw wrong(`Line ${reader.lines} repeats an earlier one.`);
    }
    if ((error as NodeJS.ErrnoException).code !== undefined && !(error instanceof SessionProblem)) {
      throw new SessionProblem('refused', `The file cannot be read: ${(error as Error).message}`);
    }
    throw error;
  } finally {
    lines.close();
    input.destroy();
  }
  if (staged === null) throw wrong('The file is empty.');
  if (!staged.ended) throw wrong(`The file ends after line ${reader.lines}: the rest of it is missing.`);
  report(reader.lines);
  index(database, staged);
  return staged;
}

function begin(database: SqliteDatabase, head: RecordOf<'session'>): Staged {
  const { id } = head.session;
  const there = database.prepare('SELECT title FROM sessions WHERE id = ?').pluck().get(id);
  if (there !== undefined) {
    throw new SessionProblem(
      'conflict',
      `This session is here already${there === '' ? '' : `: “${String(there)}”`}. Nothing was taken in.`,
      'Delete it first, if the file is to take its place.',
    );
  }
  return { head, runs: [], requests: new Map(), grants: [], audit: [], events: 0, ended: false };
}

function take(record: TransferRecord, staged: Staged, line: number, insert: (event: RecordOf<'event'>) => void): void {
  const { id } = staged.head.session;
  if (staged.ended) throw wrong(`Line ${line} stands after the end.`);
  switch (record.kind) {
    case 'session':
      throw wrong(`Line ${line} begins a second session.`);
    case 'run':
      staged.runs.push(record);
      return;
    case 'event':
      staged.events += 1;
      insert(record);
      return;
    case 'request':
      if (record.request.sessionId !== id) throw wrong(`Line ${line} belongs to another session.`);
      staged.requests.set(record.request.id, record);
      return;
    case 'grant':
      if (record.grant.sessionId !== id) throw wrong(`Line ${line} belongs to another session.`);
      staged.grants.push(record);
      return;
    case 'audit':
      if (record.body !== null && sha256(record.body) !== record.bodyHash) {
        throw wrong(`Line ${line}: the content of this decision was changed.`);
      }
      staged.audit.push(record);
      return;
    case 'end':
      if (record.lines !== line) throw wrong(`The file should have ${record.lines} lines, and this is line ${line}.`);
      staged.ended = true;
  }
}

/** What a search will find of it, while nothing is locked yet. */
function index(database: SqliteDatabase, { head, requests }: Staged): void {
  const select = database.prepare('SELECT number, at, body FROM staged WHERE number > ? ORDER BY number LIMIT 1000');
  const update = database.prepare('UPDATE staged SET text = ?, facets = ? WHERE number = ?');
  const request = (id: string) => requests.get(id)?.request ?? null;
  for (let after = 0; ; ) {
    const rows = select.all(after) as { number: number; at: number; body: string }[];
    for (const { number, at, body } of rows) {
      const found = searchEntry(JSON.parse(body), { agent: head.session.agent, at, request });
      if (found !== null) update.run(found.text, found.facets, number);
      after = number;
    }
    if (rows.length === 0) return;
  }
}

function write(database: SqliteDatabase, staged: Staged): SessionId {
  const { id } = staged.head.session;
  const whole = database.transaction(() => {
    insertSession(database, staged);
    const now = Date.now();
    for (const { id: runId, startedAt, endedAt, state } of staged.runs) {
      database
        .prepare('INSERT INTO runs (id, session_id, started_at, ended_at, state) VALUES (?, ?, ?, ?, ?)')
        .run(runId, id, startedAt, endedAt, state);
    }
    insertEvents(database, id);
    for (const { request, state, settledAt, settlement } of staged.requests.values()) {
      database
        .prepare(
          `INSERT INTO requests (id, session_id, run_id, body, state, created_at, expires_at, settled_at, settlement)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(
          request.id,
          id,
          request.runId,
          JSON.stringify(request),
          state,
          request.createdAt,
          request.expiresAt,
          settledAt,
          settlement === null ? null : JSON.stringify(settlement),
        );
    }
    for (const { grant } of staged.grants) {
      database
        .prepare(
          `INSERT INTO grants (id, session_id, match, covers, created_at, expires_at, uses, revoked_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(
          grant.id,
          id,
          JSON.stringify(grant.match),
          grant.covers,
          grant.createdAt,
          grant.expiresAt,
          grant.uses,
          grant.revokedAt ?? now,
        );
    }
    for (const row of staged.audit) addAudit(database, id, row);
  });
  try {
    whole.immediate();
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT')) {
      throw new SessionProblem('conflict', 'Something of this session is here already. Nothing was taken in.');
    }
    throw error;
  }
  return id;
}

function insertSession(database: SqliteDatabase, { head, runs }: Staged): void {
  const { session, fingerprint } = head;
  // Whoever takes it in goes on with it: what was running elsewhere does not run here.
  const running = !isTerminal(session.state) || runs.some(({ endedAt }) => endedAt === null);
  database
    .prepare(
      `INSERT INTO sessions (id, title, agent_id, agent, provider, model, workspace, mode, fingerprint, state, detail,
         created_at, updated_at, turns, tokens, cost_usd, working_ms, waiting_ms, approved, denied, open_requests,
         next_expiry_at, pinned, origin)
       VALUES (@id, @title, @agentId, @agent, @provider, @model, @workspace, @mode, @fingerprint, @state, @detail,
         @createdAt, @updatedAt, @turns, @tokens, @costUsd, @workingMs, @waitingMs, @approved, @denied, 0,
         NULL, 0, @origin)`,
    )
    .run({
      ...session,
      fingerprint,
      pinned: 0,
      mode: session.mode === 'auto' ? 'ask' : session.mode,
      state: running ? 'interrupted' : session.state,
      origin: session.origin === null ? null : JSON.stringify(session.origin),
    });
}

function insertEvents(database: SqliteDatabase, id: SessionId): void {
  const last = Number(database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'").pluck().get() ?? 0);
  // The order of the lines' own numbers is kept; the new ones follow the last that this store has given.
  const numbered = '(SELECT row_number() OVER (ORDER BY number) AS place, * FROM staged)';
  database
    .prepare(
      `INSERT INTO events (seq, session_id, run_id, at, type, body)
       SELECT @last + place, @id, run_id, at, type, body FROM ${numbered} ORDER BY place`,
    )
    .run({ last, id });
  database
    .prepare(
      `INSERT INTO event_search (rowid, text, facets)
       SELECT @last + place, text, facets FROM ${numbered} WHERE text IS NOT NULL ORDER BY place`,
    )
    .run({ last });
}

/** A row that this store had and whose content was deleted gets it back; any other one goes to the end of the chain. */
function addAudit(database: SqliteDatabase, id: SessionId, { requestId, body, bodyHash }: RecordOf<'audit'>): void {
  const kept = database.prepare('SELECT body_hash FROM audit WHERE request_id = ?').pluck().get(requestId);
  if (kept === bodyHash) {
    database.prepare('UPDATE audit SET body = ? WHERE request_id = ? AND body IS NULL').run(body, requestId);
    return;
  }
  const previous = database.prepare('SELECT hash FROM audit ORDER BY seq DESC LIMIT 1').pluck().get();
  const hash = linkHash(typeof previous === 'string' ? previous : GENESIS, requestId, bodyHash);
  database
    .prepare('INSERT INTO audit (request_id, session_id, body, body_hash, hash) VALUES (?, ?, ?, ?, ?)')
    .run(requestId, id, body, bodyHash, hash);
}

function wrong(problem: string): SessionProblem {
  return new SessionProblem('refused', `${problem} Nothing was taken in.`, 'Export the session again, from its Sayso.');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
