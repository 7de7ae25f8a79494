import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DATABASE_FILE, openDatabase, StoreError } from '../../../src/main/sessions/database';
import { MIGRATIONS } from '../../../src/main/sessions/migrations';

let home: string;
let file: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'sayso-db-'));
  file = join(home, DATABASE_FILE);
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function refusal(): Promise<StoreError> {
  try {
    const { database } = await openDatabase(home);
    database.close();
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
  throw new Error('it was opened');
}

describe('opening the store', () => {
  it('makes a missing one, current, with the safe settings', async () => {
    const { database } = await openDatabase(join(home, 'new', 'folder'));
    expect(database.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
    expect(database.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(database.pragma('foreign_keys', { simple: true })).toBe(1);
    expect(database.pragma('trusted_schema', { simple: true })).toBe(0);
    database.close();
  });

  it('opens an existing one again without touching its version', async () => {
    (await openDatabase(home)).database.close();
    const { database, notices } = await openDatabase(home);
    expect(notices).toEqual([]);
    database.close();
  });

  it('refuses a file that is no database, and leaves every byte of it', async () => {
    const bytes = 'this was never a database, but somebody may want it back '.repeat(100);
    await writeFile(file, bytes);
    const error = await refusal();
    expect(error.message).toMatch(/damaged/);
    expect(error.remedy).toMatch(/left as it is/);
    expect(await readFile(file, 'utf8')).toBe(bytes);
  });

  it('refuses one that a newer program wrote', async () => {
    const newer = new Database(file);
    newer.pragma(`user_version = ${MIGRATIONS.length + 1}`);
    newer.close();
    const error = await refusal();
    expect(error.message).toMatch(/newer Sayso/);
    const after = new Database(file, { readonly: true });
    expect(after.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length + 1);
    after.close();
  });

  it('refuses one that another program has locked, and opens it once it is free', { timeout: 20_000 }, async () => {
    (await openDatabase(home)).database.close();
    const other = new Database(file);
    other.pragma('locking_mode = EXCLUSIVE');
    other.exec('BEGIN EXCLUSIVE');
    const error = await refusal();
    expect(error.message).toMatch(/locked by another program/);
    other.exec('ROLLBACK');
    other.close();
    (await openDatabase(home)).database.close();
  });

  it('refuses a data folder that is a file', async () => {
    home = join(home, 'file');
    await writeFile(home, 'x');
    const error = await refusal();
    expect(error.message).toMatch(/cannot be used/);
    expect(error.remedy).toMatch(/SAYSO_HOME/);
  });
});
