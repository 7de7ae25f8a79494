import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { isJson } from '@shared/json';
import Database from 'better-sqlite3';
import { linkHash } from '../audit-chain';
import type { SqliteDatabase } from '../database';
import { SessionProblem } from '../problem';
import { parseJson } from '../rows';
import { searchEntry } from '../search/search-entry';
import { type ByteLine, byteLines } from './byte-lines';
import { LineReader, type RecordOf, type TransferRecord } from './records';

/** How many lines go by between two reports. */
const REPORT_EVERY = 1_000;

/** What is kept in memory of a file: all but its events, which wait in a temporary table. */
export interface Staged {
  readonly head: RecordOf<'session'>;
  readonly runs: RecordOf<'run'>[];
  readonly requests: Map<string, RecordOf<'request'>>;
  readonly grants: RecordOf<'grant'>[];
  readonly audit: RecordOf<'audit'>[];
  events: number;
  ended: boolean;
}

export interface StagedEvent {
  readonly number: number;
  readonly run_id: string;
  readonly at: number;
  readonly type: string;
  readonly body: string;
  readonly text: string | null;
  readonly facets: string | null;
}

/** The table that the events of a file wait in, empty. */
export function emptyStaging(database: SqliteDatabase): void {
  database.exec(`
    CREATE TEMP TABLE IF NOT EXISTS staged (
      number INTEGER PRIMARY KEY, run_id TEXT, at INTEGER, type TEXT, body TEXT, text TEXT, facets TEXT);
    DELETE FROM staged;`);
}

/**
 * Reads a session's JSON Lines, and checks every one of them; nothing of the store is changed.
 * @param report is told how many lines were read
 * @throws SessionProblem that names the line that is wrong, or says that the session is here already
 */
export async function stageFile(
  database: SqliteDatabase,
  path: string,
  report: (lines: number) => void,
): Promise<Staged> {
  const reader = new LineReader();
  const input = createReadStream(path);
  let staged: Staged | null = null;
  const insert = database.prepare(
    'INSERT INTO staged (number, run_id, at, type, body) VALUES (@seq, @runId, @at, @type, @body)',
  );
  const add = (event: RecordOf<'event'>) =>
    insert.run({ ...event, type: event.body.type, body: JSON.stringify(event.body) });
  try {
    for await (const line of byteLines(input)) {
      const record = recordOf(line, reader);
      if (staged !== null) take(record, staged, reader.lines, add);
      else if (record.kind === 'session') staged = begin(database, record);
      else throw wrong('Line 1 is not the beginning of a session.');
      if (reader.lines % REPORT_EVERY === 0) report(reader.lines);
    }
  } catch (error) {
    throw explained(error, reader.lines);
  } finally {
    input.destroy();
  }
  if (staged === null) throw wrong('The file is empty.');
  if (!staged.ended) throw wrong(`The file ends after line ${reader.lines}: the rest of it is missing.`);
  report(reader.lines);
  index(database, staged);
  return staged;
}

function recordOf({ bytes, end }: ByteLine, reader: LineReader): TransferRecord {
  if (end !== 'newline') {
    const what = end === 'cut' ? 'does not come to its end' : 'is longer than any line of a session';
    throw wrong(`Line ${reader.lines + 1} ${what}.`);
  }
  const read = reader.read(bytes);
  if (!read.ok) throw wrong(read.problem);
  return read.record;
}

function explained(error: unknown, line: number): unknown {
  if (error instanceof SessionProblem) return error;
  if (error instanceof Database.SqliteError) {
    return error.code.startsWith('SQLITE_CONSTRAINT') ? wrong(`Line ${line} repeats an earlier one.`) : error;
  }
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? error : new SessionProblem('refused', `The file cannot be read: ${message}`);
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

function take(record: TransferRecord, staged: Staged, line: number, add: (event: RecordOf<'event'>) => void): void {
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
      add(record);
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
      if (record.body !== null && !isJson(parseJson(record.body))) {
        throw wrong(`Line ${line}: the content of this decision cannot be read.`);
      }
      if (!isLinked(record)) throw wrong(`Line ${line}: this decision is not what its link in the audit says.`);
      staged.audit.push(record);
      return;
    case 'end':
      if (record.lines !== line) throw wrong(`The file should have ${record.lines} lines, and this is line ${line}.`);
      staged.ended = true;
  }
}

/** Whether a row's hash is that of its content behind the row before it; what was exported without it says nothing. */
function isLinked({ requestId, bodyHash, link }: RecordOf<'audit'>): boolean {
  return link === undefined || linkHash(link.previous, requestId, bodyHash) === link.hash;
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

function wrong(problem: string): SessionProblem {
  return new SessionProblem('refused', `${problem} Nothing was taken in.`, 'Export the session again, from its Sayso.');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
