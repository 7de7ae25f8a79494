import { randomUUID } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventBody } from '@shared/events';
import { RunId, SessionId } from '@shared/ids';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Holders } from '../../../src/main/runs/holders';
import { ownIdentity } from '../../../src/main/runs/process-identity';
import { DATABASE_FILE } from '../../../src/main/sessions/database';
import { forkSession } from '../../../src/main/sessions/fork-session';
import { StoreReply } from '../../../src/main/sessions/worker/requests';
import { StoreService } from '../../../src/main/sessions/worker/store-service';
import { approval, openStore, rememberable, type Store, startSession } from '../../support/store';

let store: Store;
let service: StoreService;
beforeEach(async () => {
  store = await openStore();
  service = new StoreService(join(store.home, DATABASE_FILE));
});
afterEach(async () => {
  service.close();
  await store.close();
});

const SECRET = 'zanzibarquokka';
const text = (words: string): EventBody => ({ type: 'user_message', text: words });

/** A session in which the secret was said, asked about, decided and remembered. */
async function secretSession() {
  const ref = startSession(store.journal);
  for (let index = 0; index < 1_200; index += 1) {
    store.journal.append(ref, [text(`${SECRET} number ${index}`)], 'batched');
  }
  const call = rememberable({ program: `/usr/bin/${SECRET}` });
  const request = approval(ref, call);
  const settled = store.inbox.ask(request, call);
  store.inbox.answer(request.id, request.digest, { type: 'approve', remember: 'session' });
  await settled;
  store.journal.append(ref, [{ type: 'run_ended', state: 'completed', reason: SECRET }], 'durable');
  return ref;
}

/** How often the secret stands in the files of the store, in whatever page. */
async function traces(): Promise<number> {
  let count = 0;
  for (const name of await readdir(store.home)) {
    const bytes = await readFile(join(store.home, name));
    count += bytes.toString('latin1').split(SECRET).length - 1;
  }
  return count;
}

describe('deleting a session', () => {
  it('leaves nothing of it in the files, keeps every other session, and the audit’s chain still holds', async () => {
    const other = startSession(store.journal);
    store.journal.append(other, [text('this one stays')], 'durable');
    const { sessionId } = await secretSession();
    store.database.pragma('wal_checkpoint(TRUNCATE)');
    expect(await traces()).toBeGreaterThan(1_000);

    const measured = await service.answer({ type: 'measure', sessionIds: [sessionId] }, () => {});
    expect(measured).toMatchObject({ sessions: 1, events: 1_206, auditRows: 1 });
    await service.answer({ type: 'delete', sessionIds: [sessionId], olderThanDays: null }, () => {});

    expect(await traces()).toBe(0);
    expect(store.reader.session(sessionId)).toBeNull();
    expect(store.reader.list({ query: '', limit: 10, after: null }).sessions.map(({ id }) => id)).toEqual([
      other.sessionId,
    ]);
    for (const table of ['events', 'requests', 'grants', 'runs']) {
      const left = store.database.prepare(`SELECT count(*) FROM ${table} WHERE session_id = ?`).pluck().get(sessionId);
      expect(left, table).toBe(0);
    }
    expect(await store.audit.verify()).toEqual({ ok: true, rows: 1 });
    expect(store.database.pragma('integrity_check', { simple: true })).toBe('ok');
    const find = (query: string) =>
      service.answer({ type: 'search', input: { query, limit: 10, before: null } }, () => {});
    expect(await find(SECRET)).toMatchObject({ hits: [] });
    expect(await find('"this one stays"')).toMatchObject({ hits: [{ sessionId: other.sessionId }] });
  });

  it('says before which forks keep a copy, forks of forks too, and which older stores lie beside this one', async () => {
    const { sessionId } = startSession(store.journal);
    startSession(store.journal);
    const fork = async (of: SessionId) => {
      const newId = SessionId.parse(randomUUID());
      const last = Number(store.database.prepare('SELECT max(seq) FROM events WHERE session_id = ?').pluck().get(of));
      await forkSession(store.database, { sessionId: of, seq: last, newId, runId: RunId.parse(randomUUID()) });
      return newId;
    };
    const measure = (...sessionIds: SessionId[]) => service.answer({ type: 'measure', sessionIds }, () => {});
    expect(await measure(sessionId)).toMatchObject({ forks: 0, aside: [] });
    const first = await fork(sessionId);
    const second = await fork(first);
    for (const name of [
      'before-version-2',
      'damaged-20260331142500',
      'damaged-20260331142500-wal',
      'damaged-20260331142500.suspect',
      'tmp',
    ]) {
      await writeFile(join(store.home, `${DATABASE_FILE}.${name}`), '');
    }
    const aside = [`${DATABASE_FILE}.before-version-2`, `${DATABASE_FILE}.damaged-20260331142500`];
    expect(await measure(sessionId)).toMatchObject({ forks: 2, aside });
    expect(await measure(sessionId, first)).toMatchObject({ forks: 1 });
    expect(await measure(second)).toMatchObject({ forks: 0 });
  });

  it('is finished by the next start when it was killed half way, and shows nothing of it meanwhile', async () => {
    const { sessionId } = await secretSession();
    const half = service.answer({ type: 'delete', sessionIds: [sessionId], olderThanDays: null }, () => {
      throw new Error('killed');
    });
    await expect(half).rejects.toThrow('killed');
    const left = store.database.prepare('SELECT count(*) FROM events WHERE session_id = ?').pluck();
    expect(left.get(sessionId)).toBeGreaterThan(0);
    expect(store.reader.session(sessionId)).toBeNull();
    expect(store.reader.list({ query: '', limit: 10, after: null }).sessions).toEqual([]);
    expect(
      await service.answer({ type: 'search', input: { query: SECRET, limit: 10, before: null } }, () => {}),
    ).toMatchObject({
      hits: [],
    });
    await service.answer({ type: 'finish-deleting' }, () => {});
    expect(left.get(sessionId)).toBe(0);
    expect(await traces()).toBe(0);
  });

  it('has its log emptied by the next start when somebody read it all the while', async () => {
    const { sessionId } = await secretSession();
    const reader = new Database(join(store.home, DATABASE_FILE), { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM sessions').get();
    await service.answer({ type: 'delete', sessionIds: [sessionId], olderThanDays: null }, () => {});
    expect(await traces()).toBeGreaterThan(0);
    expect(await service.answer({ type: 'finish-deleting' }, () => {})).toEqual({ logEmptied: false });
    reader.close();
    expect(await service.answer({ type: 'finish-deleting' }, () => {})).toEqual({ logEmptied: true });
    expect(await traces()).toBe(0);
  });
});

describe('a rule for old sessions', () => {
  it('shows what it would delete: ended ones that are not pinned and have not moved', async () => {
    const day = 86_400_000;
    const age = (id: string, days: number) =>
      store.database.prepare('UPDATE sessions SET updated_at = ? WHERE id = ?').run(Date.now() - days * day, id);
    const make = (state: 'ended' | 'running') => {
      const ref = startSession(store.journal);
      if (state === 'ended') {
        store.journal.append(ref, [{ type: 'run_ended', state: 'completed', reason: 'done' }], 'durable');
      }
      return ref.sessionId;
    };
    const [old, pinned, young, running] = [make('ended'), make('ended'), make('ended'), make('running')];
    expect(store.journal.pin(pinned, 'pinned')).toBe(true);
    for (const id of [old, pinned, running]) age(id, 40);
    age(young, 20);
    const found = await service.answer({ type: 'old', olderThanDays: 30 }, () => {});
    expect(found).toMatchObject({ sessionIds: [old], removal: { sessions: 1, events: 3 } });
  });

  it('counts a session that was taken in as new, whatever its file says, and names it so', async () => {
    const day = 86_400_000;
    const takenIn = (days: number) => {
      const { sessionId } = startSession(store.journal);
      store.database
        .prepare("UPDATE sessions SET state = 'completed', updated_at = ?, taken_in_at = ? WHERE id = ?")
        .run(Date.now() - 400 * day, Date.now() - days * day, sessionId);
      return sessionId;
    };
    takenIn(0);
    const long = takenIn(40);
    const found = await service.answer({ type: 'old', olderThanDays: 30 }, () => {});
    expect(found).toMatchObject({ sessionIds: [long] });
    const { first } = StoreReply.old.parse(found);
    expect(first[0]?.updatedAt).toBeGreaterThan(Date.now() - 41 * day);
  });

  it('deletes of what it chose only what it still says, and nothing that a process holds', async () => {
    const ended = () => {
      const ref = startSession(store.journal);
      store.journal.append(ref, [{ type: 'run_ended', state: 'completed', reason: 'done' }], 'durable');
      store.database.prepare('UPDATE sessions SET updated_at = 0 WHERE id = ?').run(ref.sessionId);
      return ref;
    };
    const [old, held, pinned, moved] = [ended(), ended(), ended(), ended()];
    new Holders(store.database, await ownIdentity(), async () => true).hold(held.sessionId);
    store.journal.pin(pinned.sessionId, 'pinned');
    store.journal.append(moved, [text('go on')], 'durable');
    const sessionIds = [old, held, pinned, moved].map(({ sessionId }) => sessionId);
    const deleted = await service.answer({ type: 'delete', sessionIds, olderThanDays: 30 }, () => {});
    expect(deleted).toEqual({ deleted: [old.sessionId], changed: [] });
    for (const { sessionId } of [held, pinned, moved]) expect(store.reader.session(sessionId)).not.toBeNull();
  });
});

describe('naming and pinning', () => {
  it('tells the listeners, and the list puts the pinned first among the ended', () => {
    const seen: string[] = [];
    store.journal.onAppend(({ events, session }) => {
      if (events.length === 0) seen.push(`${session.title} ${session.pinned}`);
    });
    const [first, second] = [startSession(store.journal), startSession(store.journal)];
    for (const ref of [first, second]) {
      store.journal.append(ref, [{ type: 'run_ended', state: 'completed', reason: 'done' }], 'durable');
    }
    expect(store.journal.rename(first.sessionId, 'Named')).toBe(true);
    expect(store.journal.pin(first.sessionId, 'pinned')).toBe(true);
    expect(seen).toEqual(['Named false', 'Named true']);
    const list = (limit: number, after: typeof first.sessionId | null) =>
      store.reader.list({ query: '', limit, after }).sessions.map(({ id }) => id);
    expect(list(10, null)).toEqual([first.sessionId, second.sessionId]);
    expect(list(1, first.sessionId)).toEqual([second.sessionId]);
    store.journal.append(second, [text('go on')], 'durable');
    expect(store.reader.session(first.sessionId)).toMatchObject({ title: 'Named', pinned: true });
  });
});
