import { createHash } from 'node:crypto';
import { constants, existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openDatabase } from '../../../src/main/sessions/database';
import type { SessionId } from '../../../src/shared/ids';
import { fillBigStore, LONG_TITLE } from '../../support/big-store';

const SIZE = { events: 1_000_000, longSession: 337_351, sessions: 10_000 };
const SMALL = 12;

/** What stands in the store. */
interface Facts {
  readonly longId: SessionId;
  /** The titles of sessions of the usual length that stand at the top of the list, under the long one. */
  readonly small: readonly string[];
  /** Events of each of those. */
  readonly smallSession: number;
}

export type BigHome = Facts &
  typeof SIZE & { readonly folder: string; readonly long: string; readonly remove: () => Promise<void> };

const CACHE = resolve('node_modules/.cache/sayso');

/** All that decides what stands in the store. */
const SOURCES = [
  'src/main/sessions/migrations.ts',
  'src/main/sessions/search/search-entry.ts',
  'src/main/sessions/search/facets.ts',
  'test/support/big-store.ts',
  'test/support/journal-mix.ts',
  'test/support/chance.ts',
  'test/support/random.ts',
  'test/bench/app/big-home.ts',
];

/** A copy of the big store, for the app to work in. The store itself takes half a minute to make, and is kept. */
export async function copyOfBigHome(): Promise<BigHome> {
  const made = await bigHome();
  const folder = await mkdtemp(join(tmpdir(), 'sayso-bench-'));
  await copyFile(join(made, 'sayso.sqlite'), join(folder, 'sayso.sqlite'), constants.COPYFILE_FICLONE);
  // A backup of today, so that the app does not make one while it is measured.
  await mkdir(join(folder, 'backups'));
  await writeFile(join(folder, 'backups', 'last.sqlite'), '');
  const facts = JSON.parse(readFileSync(join(made, 'facts.json'), 'utf8')) as Facts;
  const remove = () => rm(folder, { recursive: true, force: true });
  return { ...facts, ...SIZE, long: LONG_TITLE, folder, remove };
}

async function bigHome(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of SOURCES) hash.update(readFileSync(file));
  const folder = join(CACHE, `big-store-${hash.digest('hex').slice(0, 16)}`);
  // Written last: a folder with it is whole.
  if (existsSync(join(folder, 'facts.json'))) return folder;
  console.log('Filling a store of a million events...');
  const making = `${folder}.${process.pid}`;
  try {
    await writeFile(join(making, 'facts.json'), JSON.stringify(await fill(making)));
    await rm(folder, { recursive: true, force: true });
    await rename(making, folder);
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return folder;
}

async function fill(folder: string): Promise<Facts> {
  const { database } = await openDatabase(folder);
  const longId = fillBigStore(database, SIZE);
  // What is clicked stands at the top of the list: the long one, and as many of the usual length as are clicked between.
  const now = Date.now();
  const rename = database.prepare('UPDATE sessions SET title = ?, updated_at = ? WHERE id = ?');
  const ids = database.prepare('SELECT id FROM sessions WHERE id <> ? ORDER BY updated_at DESC LIMIT ?').pluck();
  const small = ids.all(longId, SMALL).map((id, index) => {
    const title = `A small session ${index + 1}`;
    rename.run(title, now - 1_000 * (index + 1), id);
    return title;
  });
  rename.run(LONG_TITLE, now, longId);
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
  const smallSession = Math.floor((SIZE.events - SIZE.longSession) / SIZE.sessions);
  return { longId, small, smallSession };
}
