import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recoverDamaged } from '../../../src/main/desktop/recover-damaged';
import { backupPath, lastBackup } from '../../../src/main/sessions/backups';
import { DATABASE_FILE, DamagedStore, openDatabase } from '../../../src/main/sessions/database';
import { StoreService } from '../../../src/main/sessions/worker/store-service';
import { openStore, startSession } from '../../support/store';

let home: string;
let file: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'sayso-backup-'));
  file = join(home, DATABASE_FILE);
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** A store with a session, and a backup of it; then one more session. */
async function backedUp() {
  const store = await openStore(home);
  const first = startSession(store.journal);
  const service = new StoreService(file);
  const reports: unknown[] = [];
  await service.answer({ type: 'backup', path: backupPath(home) }, (progress) => reports.push(progress));
  service.close();
  startSession(store.journal);
  store.database.pragma('wal_checkpoint(TRUNCATE)');
  store.database.close();
  return { first, reports };
}

async function sessionsNow(): Promise<string[]> {
  const store = await openStore(home);
  const { sessions } = store.reader.list({ query: '', limit: 10, after: null });
  store.database.close();
  return sessions.map(({ id }) => id);
}

describe('a backup', () => {
  it('is one whole file, made while the store is in use', async () => {
    const { first, reports } = await backedUp();
    expect(reports.length).toBeGreaterThan(0);
    expect(await readdir(join(home, 'backups'))).toEqual(['last.sqlite']);
    expect((await stat(backupPath(home))).mode & 0o077).toBe(0);
    expect(await sessionsNow()).toHaveLength(2);
    await writeFile(file, await readFile(backupPath(home)));
    expect(await sessionsNow()).toEqual([first.sessionId]);
  });
});

describe('a damaged store', () => {
  it('is refused, set aside whole when the operator says so, and its last backup takes its place', async () => {
    const { first } = await backedUp();
    const bytes = Buffer.from(await readFile(file));
    bytes.fill(0x41, 0, 4_096);
    await writeFile(file, bytes);
    await expect(openDatabase(home)).rejects.toThrow(DamagedStore);
    expect(await readFile(file)).toEqual(bytes);
    const aside = await recoverDamaged(home, 'backup');
    expect(await readFile(aside)).toEqual(bytes);
    expect(await sessionsNow()).toEqual([first.sessionId]);
    expect(await lastBackup(home)).not.toBeNull();
  });

  it('gives way to an empty one where there is no backup, and stays where it is when one was asked for', async () => {
    await writeFile(file, 'no database at all '.repeat(400));
    await expect(recoverDamaged(home, 'backup')).rejects.toThrow('There is no backup');
    expect(await readFile(file, 'utf8')).toContain('no database at all');
    const aside = await recoverDamaged(home, 'empty');
    expect(await readFile(aside, 'utf8')).toContain('no database at all');
    expect(await sessionsNow()).toEqual([]);
  });

  it('is nothing that a sound one is taken for', async () => {
    await backedUp();
    await expect(recoverDamaged(home, 'empty')).rejects.toThrow('not damaged');
    expect(await sessionsNow()).toHaveLength(2);
  });

  it('is found by the check in the background after an unclean end', async () => {
    const store = await openStore(home);
    const { sessionId } = startSession(store.journal);
    for (let index = 0; index < 200; index += 1) {
      store.journal.append(
        { sessionId, runId: startSession(store.journal).runId },
        [{ type: 'user_message', text: 'x'.repeat(500) }],
        'batched',
      );
    }
    store.database.pragma('wal_checkpoint(TRUNCATE)');
    store.database.close();
    const bytes = Buffer.from(await readFile(file));
    for (let page = Math.floor(bytes.length / 4_096 / 2); page < bytes.length / 4_096; page += 3)
      bytes.fill(0xff, page * 4_096, page * 4_096 + 64);
    await writeFile(file, bytes);
    const service = new StoreService(file);
    const answer = await service
      .answer({ type: 'check' }, () => {})
      .catch((error: Error) => ({ verdict: error.message }));
    service.close();
    expect(answer).not.toEqual({ verdict: 'ok' });
  });
});
