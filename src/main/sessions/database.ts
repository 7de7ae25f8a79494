import { existsSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { MIGRATIONS } from './migrations';
import { clearSuspect, isSuspect, oneLine } from './suspect';

export type SqliteDatabase = Database.Database;

/** Why the store cannot be opened, in words for the operator. Nothing was changed in the file. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  constructor(
    message: string,
    readonly remedy: string,
  ) {
    super(message);
  }
}

/** The store is there and cannot be read. It was left as it is. */
export class DamagedStore extends StoreError {}

export const DATABASE_FILE = 'sayso.sqlite';

/** How long another program's lock is waited for while nothing is shown yet, or by a thread of its own, in milliseconds. */
const OPEN_WAIT_MS = 5_000;
/** The same for a write of the main process, which stands still meanwhile, and its window with it. */
const WRITE_WAIT_MS = 2_000;

export interface OpenedDatabase {
  readonly database: SqliteDatabase;
  readonly file: string;
  /** What the operator should know of the opening, for example where a backup was put. */
  readonly notices: readonly string[];
  /** Whoever had it open last did not close it: it is to be checked, in the background. */
  readonly unclean: boolean;
}

/**
 * Opens the store in a data folder, makes it if it is missing, and brings it to the current version: an older file is
 * backed up beside itself first, a newer one is refused, a damaged or locked one is left as it is. One in which damage was
 * found while it was open is checked as a whole before: that takes as long as it takes to read all of it.
 * @throws StoreError
 */
export async function openDatabase(home: string): Promise<OpenedDatabase> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    if (!(await stat(home)).isDirectory()) throw new Error('it is not a folder');
  } catch (error) {
    throw new StoreError(
      `The data folder ${home} cannot be used: ${reason(error)}.`,
      'Choose another one with SAYSO_HOME, or make this one writable.',
    );
  }
  const file = join(home, DATABASE_FILE);
  const existed = existsSync(file);
  const unclean = existed && hasContent(`${file}-wal`);
  let database: SqliteDatabase | undefined;
  try {
    database = new Database(file, { timeout: OPEN_WAIT_MS });
    setUp(database);
    const checked = checkSuspect(database, file);
    // A write lock taken and given back tells a locked or read-only file now, not in the middle of a run.
    database.exec('BEGIN IMMEDIATE; ROLLBACK');
    const notices = [...checked, ...(await migrate(database, file))];
    readEveryTable(database);
    database.pragma(`busy_timeout = ${WRITE_WAIT_MS}`);
    return { database, file, notices, unclean };
  } catch (error) {
    database?.close();
    throw error instanceof StoreError ? error : explain(error, file);
  }
}

/** A second connection to a store that is open already, for another thread to write with. */
export function openBeside(file: string): SqliteDatabase {
  const database = new Database(file, { fileMustExist: true, timeout: OPEN_WAIT_MS });
  setUp(database);
  return database;
}

function setUp(database: SqliteDatabase): void {
  database.pragma('journal_mode = WAL');
  database.pragma('foreign_keys = ON');
  database.pragma('trusted_schema = OFF');
  database.pragma('synchronous = FULL');
  database.pragma('secure_delete = ON');
}

async function migrate(database: SqliteDatabase, file: string): Promise<string[]> {
  const version = Number(database.pragma('user_version', { simple: true }));
  if (version > MIGRATIONS.length) {
    throw new StoreError(
      `The store ${file} was written by a newer Sayso (version ${version}; this one knows ${MIGRATIONS.length}).`,
      'Start the newer Sayso, or set SAYSO_HOME to another data folder. The store was not changed.',
    );
  }
  const notices: string[] = [];
  if (version > 0 && version < MIGRATIONS.length) {
    const backup = `${file}.before-version-${MIGRATIONS.length}`;
    await database.backup(backup);
    notices.push(`The store was brought to a new version; the old one is kept at ${backup}.`);
  }
  for (const [index, { sql, fill }] of MIGRATIONS.entries()) {
    if (index < version) continue;
    database.transaction(() => {
      database.exec(sql);
      fill?.(database);
      database.pragma(`user_version = ${index + 1}`);
    })();
  }
  return notices;
}

/**
 * Checks a store that is suspected of damage, indexes and all, and takes the mark away where there is none.
 * @returns what the operator should know of it
 * @throws DamagedStore
 */
function checkSuspect(database: SqliteDatabase, file: string): string[] {
  if (!isSuspect(file)) return [];
  const verdict = String(database.pragma('integrity_check(1)', { simple: true }));
  if (verdict !== 'ok') throw damaged(file, verdict);
  clearSuspect(file);
  return ['The store seemed to be damaged when it was last open. All of it was checked now, and it is sound.'];
}

/** A look at the first page of each table tells the worst damage now, not in the middle of a run. */
function readEveryTable(database: SqliteDatabase): void {
  for (const table of ['sessions', 'runs', 'events', 'requests', 'grants', 'audit', 'holders', 'event_search']) {
    database.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get();
  }
}

function explain(error: unknown, file: string): StoreError {
  const code = error instanceof Database.SqliteError ? error.code : '';
  if (code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT')) return damaged(file, reason(error));
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new StoreError(
      `The store ${file} is locked by another program.`,
      'Close whatever has it open, then try again. Nothing was changed.',
    );
  }
  if (code.startsWith('SQLITE_FULL')) {
    return new StoreError(
      `The store ${file} cannot be opened: its disk is full.`,
      'Make room on that disk, then try again. Nothing was changed.',
    );
  }
  if (code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_CANTOPEN') || code.startsWith('SQLITE_PERM')) {
    return new StoreError(
      `The store ${file} cannot be opened for writing: ${reason(error)}.`,
      'Make the file and its folder writable, then try again; or start Sayso with SAYSO_HOME set to another folder.',
    );
  }
  return new StoreError(`The store ${file} cannot be opened: ${reason(error)}.`, 'Nothing was changed in it.');
}

function damaged(file: string, what: string): DamagedStore {
  return new DamagedStore(
    `The store ${file} is damaged: ${oneLine(what)}.`,
    'It was left as it is. Set it aside, whole, and go on with the last backup or with an empty store.',
  );
}

function hasContent(file: string): boolean {
  return existsSync(file) && statSync(file).size > 0;
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
