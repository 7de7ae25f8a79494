import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionId } from '@shared/ids';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recoverDamaged } from '../../../src/main/desktop/recover-damaged';
import { BackupQueue } from '../../../src/main/sessions/backup-queue';
import { backupPath, lastBackup } from '../../../src/main/sessions/backups';
import { DATABASE_FILE, DamagedStore, openDatabase } from '../../../src/main/sessions/database';
import { SessionRemover } from '../../../src/main/sessions/remove-session';
import { markBackupStale, staleMark } from '../../../src/main/sessions/stale-backup';
import { isSuspect, markSuspect, suspectPath } from '../../../src/main/sessions/suspect';
import { StoreService } from '../../../src/main/sessions/worker/store-service';
import { damagePage, pageInTheMiddle } from '../../support/damage';
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

  it('waits for another one, and holds what has come until it begins', async () => {
    const store = await openStore(home);
    const service = new StoreService(file);
    const ref = startSession(store.journal);
    for (let index = 0; index < 12; index += 1) {
      store.journal.append(ref, [{ type: 'user_message', text: 'x'.repeat(1_000_000) }], 'batched');
    }
    const again: Promise<unknown>[] = [];
    const backUp = (report: () => void) => service.answer({ type: 'backup', path: backupPath(home) }, report);
    await backUp(() => {
      if (again.length === 2) return;
      startSession(store.journal);
      again.push(backUp(() => {}));
    });
    expect(again).toHaveLength(2);
    await Promise.all(again);
    service.close();
    store.database.close();
    expect(isSuspect(file)).toBe(false);
    expect(await readdir(join(home, 'backups'))).toEqual(['last.sqlite']);
    await copyFile(backupPath(home), file);
    expect(await sessionsNow()).toHaveLength(3);
  });

  it('that is asked for again before it has begun is made once; one to another place is made as well', async () => {
    const queue = new BackupQueue();
    const made: string[] = [];
    const make = (name: string) => async () => {
      made.push(name);
      if (name === 'fails') throw new Error('it fails');
    };
    const failing = queue.add('last', make('fails'));
    await Promise.resolve();
    const waiting = [
      queue.add('last', make('after it')),
      queue.add('elsewhere', make('elsewhere')),
      queue.add('last', make('once more')),
    ];
    await expect(failing).rejects.toThrow('it fails');
    await Promise.all(waiting);
    expect(made).toEqual(['fails', 'after it', 'elsewhere']);
  });

  it('counts as stale from a deletion on until one that was begun after it is there', async () => {
    const store = await openStore(home);
    const service = new StoreService(file);
    const remover = new SessionRemover(store.database);
    const backUp = (report: () => void) => service.answer({ type: 'backup', path: backupPath(home) }, report);
    const remove = () => remover.remove([startSession(store.journal).sessionId], () => {});
    await remove();
    expect(staleMark(file)).not.toBeNull();
    let meanwhile: Promise<unknown> | undefined;
    await backUp(() => {
      meanwhile ??= remove();
    });
    await meanwhile;
    expect(staleMark(file)).not.toBeNull();
    await service.answer({ type: 'backup', path: join(home, 'elsewhere.sqlite') }, () => {});
    expect(staleMark(file)).not.toBeNull();
    await backUp(() => {});
    expect(staleMark(file)).toBeNull();
    service.close();
    store.database.close();
  });

  it('that holds what is still being deleted stays stale', async () => {
    const store = await openStore(home);
    const service = new StoreService(file);
    const { sessionId } = startSession(store.journal);
    store.database.prepare('UPDATE sessions SET deleted_at = 1 WHERE id = ?').run(sessionId);
    markBackupStale(file);
    await service.answer({ type: 'backup', path: backupPath(home) }, () => {});
    expect(staleMark(file)).not.toBeNull();
    service.close();
    store.database.close();
  });

  it('takes away what a kill has left of an earlier one, and nothing of another process that lives', async () => {
    const gone = spawnSync('true').pid;
    await mkdir(join(home, 'backups'));
    for (const pid of [gone, process.ppid]) await writeFile(`${backupPath(home)}.${pid}.part`, 'said');
    await backedUp();
    expect(await readdir(join(home, 'backups'))).toEqual(['last.sqlite', `last.sqlite.${process.ppid}.part`]);
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
});

/** A store with a long event and a good backup of it, damaged in the middle of its file. */
async function damagedInTheMiddle() {
  const store = await openStore(home);
  const { sessionId, runId } = startSession(store.journal);
  store.journal.append({ sessionId, runId }, [{ type: 'user_message', text: 'x'.repeat(100_000) }], 'durable');
  const service = new StoreService(file);
  await service.answer({ type: 'backup', path: backupPath(home) }, () => {});
  service.close();
  store.database.pragma('wal_checkpoint(TRUNCATE)');
  store.database.close();
  damagePage(file, pageInTheMiddle(file));
  return { sessionId, bytes: await readFile(file), backup: await readFile(backupPath(home)) };
}

/** Opens it as a start does: what is damaged in the middle is not seen by that. */
async function opensAllTheSame() {
  const { database } = await openDatabase(home);
  database.close();
}

describe('a store that is damaged in the middle of its file', () => {
  const finders: Readonly<Record<string, (service: StoreService, sessionId: SessionId) => Promise<unknown>>> = {
    'the check after an unclean end': (service) => service.answer({ type: 'check' }, () => {}),
    'the backup of every day': (service) =>
      service.answer({ type: 'backup', path: backupPath(home) }, () => {}).catch((error: Error) => error),
    'whatever reads it': (service, sessionId) =>
      service.answer({ type: 'measure', sessionIds: [sessionId] }, () => {}).catch((error: Error) => error),
  };
  for (const [name, look] of Object.entries(finders)) {
    it(`is set aside at the next start when ${name} has found it, and its last good backup is offered`, async () => {
      const { sessionId, bytes, backup } = await damagedInTheMiddle();
      await opensAllTheSame();
      const service = new StoreService(file);
      const found = await look(service, sessionId);
      service.close();
      expect(found).not.toEqual({ verdict: 'ok' });
      expect(isSuspect(file)).toBe(true);
      expect((await readFile(backupPath(home))).equals(backup)).toBe(true);

      await expect(openDatabase(home)).rejects.toThrow(DamagedStore);
      expect((await readFile(file)).equals(bytes)).toBe(true);
      const aside = await recoverDamaged(home, 'backup');
      expect((await readFile(aside)).equals(bytes)).toBe(true);
      expect(await readFile(suspectPath(aside), 'utf8')).not.toBe('');
      expect(await sessionsNow()).toEqual([sessionId]);
      expect(isSuspect(file)).toBe(false);
    });
  }

  it('stays where it is when its last backup is damaged, too', async () => {
    const { bytes } = await damagedInTheMiddle();
    markSuspect(file, 'found');
    damagePage(backupPath(home), pageInTheMiddle(backupPath(home)));
    await expect(recoverDamaged(home, 'backup')).rejects.toThrow('The last backup is damaged, too');
    expect((await readFile(file)).equals(bytes)).toBe(true);
    expect(isSuspect(file)).toBe(true);
  });

  it('is marked when a run comes upon it, too', async () => {
    await damagedInTheMiddle();
    const store = await openStore(home);
    const ref = startSession(store.journal);
    const corrupt = () => store.database.prepare("SELECT sum(length(body || '.')) FROM events").get();
    expect(() => store.journal.append(ref, [], 'durable', corrupt)).toThrow(/malformed/);
    store.database.close();
    expect(isSuspect(file)).toBe(true);
  });

  it('is told from one that only seemed so: that is checked, opened, and no longer suspected', async () => {
    await backedUp();
    expect(markSuspect(file, 'it seemed so')).toBe(true);
    const { database, notices } = await openDatabase(home);
    database.close();
    expect(notices).toEqual([expect.stringContaining('it is sound')]);
    expect(isSuspect(file)).toBe(false);
    expect(await sessionsNow()).toHaveLength(2);
  });
});
