import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Push } from '@shared/bridge';
import type { EventBody } from '@shared/events';
import type { SessionId } from '@shared/ids';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreCare } from '../../../src/main/desktop/care';
import { backupPath, lastBackup } from '../../../src/main/sessions/backups';
import { DATABASE_FILE } from '../../../src/main/sessions/database';
import { SessionRemover } from '../../../src/main/sessions/remove-session';
import { staleMark } from '../../../src/main/sessions/stale-backup';
import { isSuspect } from '../../../src/main/sessions/suspect';
import type { StoreWorker } from '../../../src/main/sessions/worker/store-worker';
import { damagePage, pageInTheMiddle } from '../../support/damage';
import { openStore, type Store, startSession } from '../../support/store';
import { buildStoreWorker } from '../../support/store-worker';

let built: Awaited<ReturnType<typeof buildStoreWorker>>;
let store: Store;
let file: string;
let worker: StoreWorker;
let care: StoreCare;
const pushes: Push[] = [];
beforeAll(async () => {
  built = await buildStoreWorker();
});
afterAll(() => built.remove());
beforeEach(async () => {
  pushes.length = 0;
  vi.spyOn(console, 'error').mockImplementation(() => {});
  store = await openStore();
  file = join(store.home, DATABASE_FILE);
  worker = built.open(file);
});
afterEach(async () => {
  care.end();
  await worker.close();
  await store.close();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function begin(unclean: 'unclean' | 'clean' = 'clean'): StoreCare {
  care = new StoreCare({
    home: store.home,
    file,
    worker,
    unclean: unclean === 'unclean',
    retentionDays: () => null,
    isBusy: () => false,
    send: (push) => pushes.push(push),
    announce: () => {},
  });
  return care;
}

/** What waits for its thread to start, to read and to write. */
const PATIENT = { timeout: 10_000 };
const SECRET = 'zanzibarquokka';

/** A session in which the secret was said, and that has ended; the backup holds it, too. */
async function secretSession(): Promise<SessionId> {
  const ref = startSession(store.journal);
  const said: EventBody[] = [
    { type: 'user_message', text: SECRET },
    { type: 'run_ended', state: 'completed', reason: 'done' },
  ];
  store.journal.append(ref, said, 'durable');
  await worker.ask('backup', { path: backupPath(store.home) });
  return ref.sessionId;
}

const holdsSecret = async (path: string) => (await readFile(path)).includes(SECRET);

/** Damages the store in the middle of its file, as it lies there while it is open. */
function damage(): void {
  const ref = startSession(store.journal);
  store.journal.append(ref, [{ type: 'user_message', text: 'x'.repeat(100_000) }], 'durable');
  store.database.pragma('wal_checkpoint(TRUNCATE)');
  damagePage(file, pageInTheMiddle(file));
}

describe('the care of the store', () => {
  it('keeps one backup, and says nothing where all is well', async () => {
    begin();
    await vi.waitFor(async () => expect(await lastBackup(store.home)).not.toBeNull());
    expect(care.notices).toEqual([]);
    expect(pushes).toEqual([]);
  });

  it('tells of damage that the check finds, now and to a page that opens later, and makes no backup of it', async () => {
    damage();
    begin('unclean');
    await vi.waitFor(() => expect(pushes).toHaveLength(1));
    expect(pushes[0]).toMatchObject({
      type: 'trouble',
      message: expect.stringMatching(/^The store is damaged: /),
      remedy: expect.stringContaining('Quit Sayso and start it again'),
    });
    expect(care.notices).toEqual([expect.stringContaining('Quit Sayso and start it again')]);
    expect(isSuspect(file)).toBe(true);
    care.afterDeletion();
    await vi.waitFor(() => expect(pushes).toHaveLength(2));
    expect(await lastBackup(store.home)).toBeNull();
  });

  it('tells of damage that only the backup finds', async () => {
    damage();
    begin();
    await vi.waitFor(() => expect(care.notices).toHaveLength(1));
    expect(care.notices[0]).toMatch(/^The store is damaged.*start it again/);
    expect(isSuspect(file)).toBe(true);
    expect(await lastBackup(store.home)).toBeNull();
  });

  it('tells of a backup that fails, and no longer once there is one', async () => {
    await writeFile(join(store.home, 'backups'), 'a file stands where the folder belongs');
    begin();
    await vi.waitFor(() => expect(care.notices).toHaveLength(1));
    expect(care.notices[0]).toMatch(/^No new backup could be made: .*The last one stays/);
    expect(isSuspect(file)).toBe(false);
    await rm(join(store.home, 'backups'));
    care.afterDeletion();
    await vi.waitFor(() => expect(care.notices).toEqual([]));
    expect(await lastBackup(store.home)).toMatchObject({ path: backupPath(store.home) });
  });

  it.each(['begun', 'done'])(
    'makes the backup anew at the next start after a deletion that was %s when it was killed',
    async (how) => {
      const id = await secretSession();
      const killed = new SessionRemover(store.database).remove([id], () => {
        if (how === 'begun') throw new Error('killed');
      });
      await killed.catch(() => {});
      expect(await holdsSecret(backupPath(store.home))).toBe(true);
      begin();
      await vi.waitFor(async () => expect(await holdsSecret(backupPath(store.home))).toBe(false), PATIENT);
      await vi.waitFor(() => expect(staleMark(file)).toBeNull(), PATIENT);
    },
  );

  it('asks again for the log to be emptied, as long as somebody reads it', async () => {
    const id = await secretSession();
    const reader = new Database(file, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM events').get();
    await worker.ask('delete', { sessionIds: [id], olderThanDays: null });
    expect(await holdsSecret(`${file}-wal`)).toBe(true);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    begin();
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), PATIENT);
    reader.close();
    vi.advanceTimersByTime(30_000);
    await vi.waitFor(async () => expect(await holdsSecret(`${file}-wal`)).toBe(false), PATIENT);
    expect(await holdsSecret(file)).toBe(false);
  });
});
