import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { Audit } from '../../src/main/approvals/audit';
import { DATABASE_FILE, type SqliteDatabase } from '../../src/main/sessions/database';
import { LineReader, type TransferRecord } from '../../src/main/sessions/transfer/records';
import { JournalEvent } from '../../src/shared/events';

/** What a store holds, read from a copy: whoever opened the file itself would put right what a kill has left. */
export interface StoreEvidence {
  /** What is wrong with the file. Then nothing of it is told. */
  readonly problems: readonly string[];
  readonly version: number;
  readonly events: readonly JournalEvent[];
  /** Of each event the SHA-256, in hex, of its body as it stands there. */
  readonly hashes: ReadonlyMap<number, string>;
  /** Sessions that are not marked as deleted. */
  readonly sessions: readonly { readonly id: string; readonly title: string; readonly state: string }[];
  readonly pending: number;
  readonly unended: number;
}

const NOTHING: StoreEvidence = {
  problems: [],
  version: 0,
  events: [],
  hashes: new Map(),
  sessions: [],
  pending: 0,
  unended: 0,
};

/** @param folder with the store and, where there is one, its log; nothing where there is no store in it */
export async function readStore(folder: string, name: string = DATABASE_FILE): Promise<StoreEvidence> {
  if (!existsSync(join(folder, name))) return NOTHING;
  const copies = await mkdtemp(join(tmpdir(), 'sayso-drill-copy-'));
  try {
    for (const file of [name, `${name}-wal`]) {
      if (existsSync(join(folder, file))) await cp(join(folder, file), join(copies, file));
    }
    const database = new Database(join(copies, name));
    try {
      return await evidenceOf(database);
    } finally {
      database.close();
    }
  } catch (error) {
    return { ...NOTHING, problems: [`${name} cannot be read: ${String(error)}`] };
  } finally {
    await rm(copies, { recursive: true, force: true });
  }
}

/** The same of a store that is one file by itself, such as a backup. */
export function readStoreFile(path: string): Promise<StoreEvidence> {
  return readStore(dirname(path), path.slice(dirname(path).length + 1));
}

async function evidenceOf(database: SqliteDatabase): Promise<StoreEvidence> {
  const verdict = database.pragma('integrity_check', { simple: true });
  const foreign = database.pragma('foreign_key_check') as unknown[];
  const version = Number(database.pragma('user_version', { simple: true }));
  const problems = [
    ...(verdict === 'ok' ? [] : [`integrity: ${String(verdict)}`]),
    ...(foreign.length === 0 ? [] : [`${foreign.length} rows belong to nothing`]),
  ];
  if (problems.length > 0 || version === 0) return { ...NOTHING, problems, version };
  const audit = await new Audit(database).verify();
  const count = (sql: string) => Number(database.prepare(`SELECT count(*) FROM ${sql}`).pluck().get());
  const rows = database.prepare('SELECT * FROM events ORDER BY seq').all() as Record<string, unknown>[];
  const shown = version > 1 ? 'WHERE deleted_at IS NULL' : '';
  return {
    problems: audit.ok ? [] : [`row ${audit.seq} of the audit: ${audit.problem}`],
    version,
    events: rows.map(eventOf),
    hashes: new Map(
      rows.map(({ seq, body }) => [Number(seq), createHash('sha256').update(String(body)).digest('hex')]),
    ),
    sessions: database.prepare(`SELECT id, title, state FROM sessions ${shown} ORDER BY created_at`).all() as never,
    pending: count("requests WHERE state = 'pending'"),
    unended: count('runs WHERE ended_at IS NULL'),
  };
}

function eventOf({ seq, session_id, run_id, at, body }: Record<string, unknown>): JournalEvent {
  return JournalEvent.parse({ seq, sessionId: session_id, runId: run_id, at, body: JSON.parse(String(body)) });
}

/** A session's file, line by line; what is wrong with it where it is not whole. */
export async function readExport(path: string): Promise<readonly TransferRecord[] | { readonly problem: string }> {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return { problem: 'it is not there' };
  const reader = new LineReader();
  const records: TransferRecord[] = [];
  for (const line of text.split('\n').slice(0, -1)) {
    const read = reader.read(Buffer.from(line));
    if (!read.ok) return { problem: read.problem };
    records.push(read.record);
  }
  const last = records.at(-1);
  if (last?.kind !== 'end' || last.lines !== records.length || !text.endsWith('\n'))
    return { problem: 'its end is missing' };
  return records;
}
