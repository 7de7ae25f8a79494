import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { SessionId } from '@shared/ids';
import { isTerminal } from '@shared/states';
import Database from 'better-sqlite3';
import { GENESIS, linkHash } from '../audit-chain';
import type { SqliteDatabase } from '../database';
import { SessionProblem } from '../problem';
import { SessionRemover } from '../remove-session';
import { searchEntry } from '../search/search-entry';
import { inTheMaking, writeInSteps } from '../steps';
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
 * Takes in a session from JSON Lines. Every line is checked before anything is written. Then it is written in short
 * steps, so that runs can write meanwhile, and is marked as deleted until the last of them: it is seen whole or not at
 * all, and what a kill leaves of it goes as what a deletion leaves. Its ids stay what they were, its events get the next seqs, and
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
    return await write(database, staged);
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
  const there = database.prepare('SELECT title FROM sessions WHERE id = ? AND deleted_at IS NULL').pluck().get(id);
  if (there !== undefined) {
    throw new SessionProblem(
      'conflict',
      `This session is here already: “${String(there)}”. Nothing was taken in.`,
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

async function write(database: SqliteDatabase, staged: Staged): Promise<SessionId> {
  const { id } = staged.head.session;
  const remover = new SessionRemover(database);
  if (inTheMaking(database).has(id)) throw new SessionProblem('conflict', 'This session is just being taken in.');
  inTheMaking(database).add(id);
  try {
    // What a deletion or a kill left of it: it was not to be seen any more.
    await remover.clear(id);
    const mark = Date.now();
    insertSession(database, staged, mark);
    try {
      await writeInSteps(database, staged.runs, runWriter(database, id));
      await writeInSteps(database, stagedEvents(database), eventWriter(database, id));
      await writeInSteps(database, staged.requests.values(), requestWriter(database, id));
      await writeInSteps(database, staged.grants, grantWriter(database, id, mark));
      show(database, staged, mark);
    } catch (error) {
      await remover.clear(id);
      throw error;
    }
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT')) {
      throw new SessionProblem('conflict', 'Something of this session is here already. Nothing was taken in.');
    }
    throw error;
  } finally {
    inTheMaking(database).delete(id);
  }
  return id;
}

function runWriter(database: SqliteDatabase, id: SessionId) {
  const insert = database.prepare(
    'INSERT INTO runs (id, session_id, started_at, ended_at, state) VALUES (?, ?, ?, ?, ?)',
  );
  return ({ id: runId, startedAt, endedAt, state }: RecordOf<'run'>) =>
    void insert.run(runId, id, startedAt, endedAt, state);
}

interface StagedEvent {
  readonly number: number;
  readonly run_id: string;
  readonly at: number;
  readonly type: string;
  readonly body: string;
  readonly text: string | null;
  readonly facets: string | null;
}

/** The order of the lines' own numbers is kept. */
function* stagedEvents(database: SqliteDatabase): Generator<StagedEvent> {
  const page = database.prepare('SELECT * FROM staged WHERE number > ? ORDER BY number LIMIT 100');
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = page.all(after) as StagedEvent[];
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.number;
  }
}

/** Each event gets the next seq of this store. */
function eventWriter(database: SqliteDatabase, id: SessionId) {
  const insert = database.prepare('INSERT INTO events (session_id, run_id, at, type, body) VALUES (?, ?, ?, ?, ?)');
  const insertText = database.prepare('INSERT INTO event_search (rowid, text, facets) VALUES (?, ?, ?)');
  return ({ run_id: runId, at, type, body, text, facets }: StagedEvent) => {
    const { lastInsertRowid } = insert.run(id, runId, at, type, body);
    if (text !== null) insertText.run(lastInsertRowid, text, facets);
  };
}

function requestWriter(database: SqliteDatabase, id: SessionId) {
  const insert = database.prepare(
    `INSERT INTO requests (id, session_id, run_id, body, state, created_at, expires_at, settled_at, settlement)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return ({ request, state, settledAt, settlement }: RecordOf<'request'>) => {
    const { id: requestId, runId, createdAt, expiresAt } = request;
    const settled = settlement === null ? null : JSON.stringify(settlement);
    insert.run(requestId, id, runId, JSON.stringify(request), state, createdAt, expiresAt, settledAt, settled);
  };
}

function grantWriter(database: SqliteDatabase, id: SessionId, now: number) {
  const insert = database.prepare(
    `INSERT INTO grants (id, session_id, match, covers, created_at, expires_at, uses, revoked_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return ({ grant }: RecordOf<'grant'>) => {
    const { match, covers, createdAt, expiresAt, uses, revokedAt } = grant;
    insert.run(grant.id, id, JSON.stringify(match), covers, createdAt, expiresAt, uses, revokedAt ?? now);
  };
}

/** The last step: the audit, and the mark goes. All of it must be there still; another process clears what is marked. */
function show(database: SqliteDatabase, staged: Staged, mark: number): void {
  const { id } = staged.head.session;
  const tables = ['runs', 'events', 'requests', 'grants'];
  const counts = tables.map((table) => `(SELECT count(*) FROM ${table} WHERE session_id = @id)`).join(' + ');
  const count = database.prepare(`SELECT ${counts}`).pluck();
  const total = staged.runs.length + staged.events + staged.requests.size + staged.grants.length;
  database
    .transaction(() => {
      const unmark = database.prepare('UPDATE sessions SET deleted_at = NULL WHERE id = ? AND deleted_at = ?');
      if (unmark.run(id, mark).changes !== 1 || count.get({ id }) !== total) {
        throw new SessionProblem('conflict', 'Another Sayso cleared what was being taken in. Nothing was taken in.');
      }
      addAudit(database, id, staged.audit);
    })
    .immediate();
}

/** It is marked as deleted, so that it is shown nowhere. */
function insertSession(database: SqliteDatabase, { head, runs }: Staged, mark: number): void {
  const { session, fingerprint } = head;
  // Whoever takes it in goes on with it: what was running elsewhere does not run here.
  const running = !isTerminal(session.state) || runs.some(({ endedAt }) => endedAt === null);
  database
    .prepare(
      `INSERT INTO sessions (id, title, agent_id, agent, provider, model, workspace, mode, fingerprint, state, detail,
         created_at, updated_at, turns, tokens, cost_usd, working_ms, waiting_ms, approved, denied, open_requests,
         next_expiry_at, pinned, origin, deleted_at)
       VALUES (@id, @title, @agentId, @agent, @provider, @model, @workspace, @mode, @fingerprint, @state, @detail,
         @createdAt, @updatedAt, @turns, @tokens, @costUsd, @workingMs, @waitingMs, @approved, @denied, 0,
         NULL, 0, @origin, @mark)`,
    )
    .run({
      ...session,
      fingerprint,
      mark,
      pinned: 0,
      mode: session.mode === 'auto' ? 'ask' : session.mode,
      state: running ? 'interrupted' : session.state,
      origin: session.origin === null ? null : JSON.stringify(session.origin),
    });
}

/** Rows that this store had and whose content was deleted get it back; all others go to the end of the chain. */
function addAudit(database: SqliteDatabase, id: SessionId, rows: readonly RecordOf<'audit'>[]): void {
  const there = database.prepare('SELECT body_hash FROM audit WHERE request_id = ?').pluck();
  const restore = database.prepare('UPDATE audit SET body = ? WHERE request_id = ? AND body IS NULL');
  const insert = database.prepare(
    'INSERT INTO audit (request_id, session_id, body, body_hash, hash) VALUES (?, ?, ?, ?, ?)',
  );
  const last = database.prepare('SELECT hash FROM audit ORDER BY seq DESC LIMIT 1').pluck().get();
  let previous = typeof last === 'string' ? last : GENESIS;
  for (const { requestId, body, bodyHash } of rows) {
    if (there.get(requestId) === bodyHash) {
      restore.run(body, requestId);
      continue;
    }
    previous = linkHash(previous, requestId, bodyHash);
    insert.run(requestId, id, body, bodyHash, previous);
  }
}

function wrong(problem: string): SessionProblem {
  return new SessionProblem('refused', `${problem} Nothing was taken in.`, 'Export the session again, from its Sayso.');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
