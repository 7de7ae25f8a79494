import {
  appendFile,
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  truncate,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventBody } from '@shared/events';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DATABASE_FILE, openDatabase } from '../../../src/main/sessions/database';
import { rescueStore } from '../../../src/main/sessions/rescue';
import { StoreFile } from '../../../src/main/sessions/store-file';
import { probe, startRun, waitForRequests } from '../../support/run';
import { openStore, type Store, startSession } from '../../support/store';

/** A user that nobody on this machine is. */
const STRANGER = 54_321;

let home: string;
let store: Store;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'sayso-fault-'));
  store = await openStore(home);
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
});

const text = (words: string): EventBody => ({ type: 'user_message', text: words });
const textsOf = (s: Store, sessionId: ReturnType<typeof startSession>['sessionId']) =>
  s.reader
    .events({ sessionId, from: { at: 'end' }, limit: 1_000 })
    .events.flatMap(({ body }) => (body.type === 'user_message' ? [body.text] : []));

describe('when the disk is full', () => {
  it('what was acknowledged is there, what was not is not, and nothing runs', async () => {
    const ref = startSession(store.journal);
    const pages = Number(store.database.pragma('page_count', { simple: true }));
    store.database.pragma(`max_page_count = ${pages + 20}`);
    const acknowledged: string[] = [];
    store.journal.onAppend(({ events }) => {
      for (const { body } of events) if (body.type === 'user_message') acknowledged.push(body.text);
    });
    const write = () => {
      for (let index = 0; index < 1_000; index += 1) {
        store.journal.append(ref, [text(`${index} ${'x'.repeat(1_000)}`)], 'durable');
      }
    };
    expect(write).toThrow(/full/);
    expect(textsOf(store, ref.sessionId)).toEqual(['Do something', ...acknowledged]);
    expect(store.database.pragma('integrity_check', { simple: true })).toBe('ok');

    const edit = probe('edit');
    const { run } = startRun(store, [{ calls: [{ tool: 'edit', input: { a: 'y'.repeat(50_000) } }] }], [edit.tool], {
      ref,
    });
    expect(await run.ended.catch(() => 'not even its end is on record')).not.toBe('completed');
    expect(edit.ran).toEqual([]);

    // There is room again: it goes on.
    store.database.pragma('max_page_count = 1000000');
    store.journal.append(ref, [text('after')], 'durable');
    expect(textsOf(store, ref.sessionId).at(-1)).toBe('after');
  });
});

describe('when another program has locked the store', () => {
  it('a write says so, and the next one after it succeeds', () => {
    const ref = startSession(store.journal);
    store.database.pragma('busy_timeout = 50');
    const other = new Database(join(home, DATABASE_FILE));
    other.exec('BEGIN IMMEDIATE');
    expect(() => store.journal.append(ref, [text('lost')], 'durable')).toThrow(/locked/);
    other.exec('ROLLBACK');
    other.close();
    store.journal.append(ref, [text('kept')], 'durable');
    expect(textsOf(store, ref.sessionId)).toEqual(['Do something', 'kept']);
  });
});

describe('when the file is removed while it is open', () => {
  const file = () => join(home, DATABASE_FILE);

  it('is noticed, and written anew with all that was on record, before and after', async () => {
    const storeFile = await StoreFile.of(file());
    expect(await storeFile.isThere()).toBe(true);
    const ref = startSession(store.journal);
    const noticed = new Promise<void>((resolve) => storeFile.watch(resolve));
    await unlink(file());
    store.journal.append(ref, [text('afterwards')], 'durable');
    await noticed;
    expect(await rescueStore(store.database, storeFile, 0)).toEqual({ kind: 'put-back', path: file() });
    const again = await openStore(home);
    expect(textsOf(again, ref.sessionId)).toEqual(['Do something', 'afterwards']);
    expect(again.database.pragma('integrity_check', { simple: true })).toBe('ok');
    again.database.close();
  });

  it.runIf(process.platform === 'linux').each([
    ['it is removed', () => unlink(file())],
    ['its log is removed', () => unlink(`${file()}-wal`)],
    ['it is moved away', () => rename(file(), join(home, 'elsewhere'))],
    [
      'another takes its place',
      async () => {
        await writeFile(join(home, 'other'), 'theirs');
        await rename(join(home, 'other'), file());
      },
    ],
  ])('is noticed at once, without waiting for the next look, where %s', async (_, change) => {
    startSession(store.journal);
    const storeFile = await StoreFile.of(file());
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const noticed = new Promise<void>((resolve) => storeFile.watch(resolve));
    await writeFile(join(home, 'unrelated'), '');
    await change();
    await noticed;
  });

  it('is kept beside another file that has taken its place', async () => {
    const storeFile = await StoreFile.of(file());
    const ref = startSession(store.journal);
    await unlink(file());
    await writeFile(file(), 'theirs');
    expect(await storeFile.isThere()).toBe(false);
    const rescued = await rescueStore(store.database, storeFile, 0);
    expect(rescued).toEqual({ kind: 'aside', path: `${file()}.rescued-19700101000000` });
    expect(await readFile(file(), 'utf8')).toBe('theirs');
    const kept = new Database(rescued.path, { readonly: true });
    const sessions = kept.prepare('SELECT id FROM sessions').pluck().all();
    kept.close();
    expect(sessions).toEqual([ref.sessionId]);
  });

  it('stays open where it cannot be written anew: what is open is all there is', async () => {
    const storeFile = await StoreFile.of(file());
    const ref = startSession(store.journal);
    await unlink(file());
    await mkdir(`${file()}.rescued-19700101000000.${process.pid}.part/in-the-way`, { recursive: true });
    await expect(rescueStore(store.database, storeFile, 0)).rejects.toThrow();
    expect(textsOf(store, ref.sessionId)).toEqual(['Do something']);
  });
});

describe('when the clock is set back', () => {
  it('order and times do not break: nothing is counted as negative, and the newest is still the newest', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-06-01T12:00:00Z') });
    const ref = startSession(store.journal);
    store.journal.append(ref, [text('first')], 'durable');
    vi.setSystemTime(new Date('2026-05-01T12:00:00Z'));
    store.journal.append(ref, [text('second'), { type: 'run_ended', state: 'completed', reason: 'done' }], 'durable');
    expect(textsOf(store, ref.sessionId)).toEqual(['Do something', 'first', 'second']);
    const session = store.reader.session(ref.sessionId);
    expect(session).toMatchObject({
      workingMs: 0,
      waitingMs: 0,
      updatedAt: new Date('2026-06-01T12:00:00Z').getTime(),
    });
  });

  it('a request keeps its deadline, and is not answered after it', async () => {
    const edit = probe('edit');
    const { run } = startRun(store, [{ calls: [{ tool: 'edit' }] }, { say: 'Over.' }], [edit.tool]);
    const [request] = await waitForRequests(store);
    if (request === undefined) throw new Error('nothing asked');
    vi.useFakeTimers({ toFake: ['Date'], now: request.expiresAt + 1 });
    expect(() => store.inbox.answer(request.id, request.digest, { type: 'approve', remember: null })).toThrow(
      /expired/,
    );
    vi.useRealTimers();
    await run.ended;
    expect(edit.ran).toEqual([]);
  });
});

describe('when the power goes', () => {
  const wal = () => join(home, `${DATABASE_FILE}-wal`);

  /** The files as they lay on the disk at that moment, opened anew. */
  async function powerCut(change: () => Promise<void>): Promise<Store> {
    const copy = await mkdtemp(join(tmpdir(), 'sayso-power-'));
    const [main, log] = [await readFile(join(home, DATABASE_FILE)), await readFile(wal())];
    await writeFile(join(copy, DATABASE_FILE), main);
    await writeFile(join(copy, `${DATABASE_FILE}-wal`), log);
    const before = home;
    home = copy;
    await change();
    const opened = await openStore(copy);
    home = before;
    return opened;
  }

  it('a torn write at the end of the log takes nothing with it that was written before', async () => {
    const ref = startSession(store.journal);
    for (let index = 0; index < 50; index += 1) store.journal.append(ref, [text(`m${index}`)], 'durable');
    const opened = await powerCut(() => appendFile(wal(), Buffer.alloc(3_000, 0x5a)));
    expect(textsOf(opened, ref.sessionId).at(-1)).toBe('m49');
    expect(opened.database.pragma('integrity_check', { simple: true })).toBe('ok');
    await opened.close();
  });

  it('a log that was cut in the middle of its last write loses that write whole, and nothing else', async () => {
    const ref = startSession(store.journal);
    for (let index = 0; index < 50; index += 1) store.journal.append(ref, [text(`m${index}`)], 'durable');
    const { length } = await readFile(wal());
    const opened = await powerCut(() => truncate(wal(), length - 2_000));
    expect(textsOf(opened, ref.sessionId).at(-1)).toBe('m48');
    expect(opened.database.pragma('integrity_check', { simple: true })).toBe('ok');
    await opened.close();
  });
});

describe('a data folder that cannot be written', () => {
  /** As a user to whom file modes mean something: root becomes another for the time. */
  async function asStranger<T>(work: () => Promise<T>): Promise<T> {
    const { geteuid, seteuid, setegid } = process;
    if (geteuid === undefined || seteuid === undefined || setegid === undefined || geteuid() !== 0) return work();
    setegid.call(process, STRANGER);
    seteuid.call(process, STRANGER);
    try {
      return await work();
    } finally {
      seteuid.call(process, 0);
      setegid.call(process, 0);
    }
  }

  it('is refused in words, and left as it is', async () => {
    store.database.close();
    const before = await readFile(join(home, DATABASE_FILE));
    if (process.getuid?.() === 0)
      for (const path of ['.', DATABASE_FILE]) await chown(join(home, path), STRANGER, STRANGER);
    await chmod(join(home, DATABASE_FILE), 0o400);
    await chmod(home, 0o500);
    await expect(asStranger(() => openDatabase(home))).rejects.toMatchObject({
      name: 'StoreError',
      message: expect.stringContaining('cannot be opened for writing'),
      remedy: expect.stringContaining('Make the file and its folder writable'),
    });
    await chmod(home, 0o700);
    expect(await readdir(home)).toEqual([DATABASE_FILE]);
    expect((await readFile(join(home, DATABASE_FILE))).equals(before)).toBe(true);
  });
});
