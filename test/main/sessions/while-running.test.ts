import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { EventBody } from '@shared/events';
import { RunId, SessionId } from '@shared/ids';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DATABASE_FILE } from '../../../src/main/sessions/database';
import { SessionRemover } from '../../../src/main/sessions/remove-session';
import { importSession } from '../../../src/main/sessions/transfer/import-session';
import { LineWriter } from '../../../src/main/sessions/transfer/records';
import type { StoreWorker } from '../../../src/main/sessions/worker/store-worker';
import { approval, openStore, rememberable, type Store, startSession } from '../../support/store';
import { buildStoreWorker } from '../../support/store-worker';

const EVENTS = 6_000;
/** As many appends must come through while the worker is at it: one long transaction lets none. */
const AT_LEAST = 5;

let built: Awaited<ReturnType<typeof buildStoreWorker>>;
let store: Store;
let worker: StoreWorker;
beforeAll(async () => {
  built = await buildStoreWorker();
});
afterAll(() => built.remove());
beforeEach(async () => {
  store = await openStore();
  worker = built.open(join(store.home, DATABASE_FILE));
});
afterEach(async () => {
  await worker.close();
  await store.close();
});

const text = (words: string): EventBody => ({ type: 'user_message', text: words });

/** A long session as a file, and its id. */
async function longFile(events: number, requests = 0) {
  const ref = startSession(store.journal);
  const session = store.reader.session(ref.sessionId);
  if (session === null) throw new Error('it was made just now');
  const path = join(store.home, 'long.jsonl');
  const file = createWriteStream(path);
  const writer = new LineWriter();
  const id = SessionId.parse(randomUUID());
  const runId = RunId.parse(randomUUID());
  file.write(
    writer.line({
      kind: 'session',
      format: 'sayso-session',
      version: 1,
      exportedAt: 1,
      session: { ...session, id, state: 'completed' },
      fingerprint: '{}',
    }),
  );
  file.write(writer.line({ kind: 'run', id: runId, startedAt: 1, endedAt: 2, state: 'completed' }));
  for (let seq = 1; seq <= events; seq += 1) {
    const words = createHash('sha256')
      .update(String(seq))
      .digest('hex')
      .replace(/(.{6})/gu, '$1 ');
    file.write(writer.line({ kind: 'event', seq, runId, at: 1_700_000_000_000 + seq, body: text(`${words} quokka`) }));
  }
  for (let number = 0; number < requests; number += 1) {
    const request = approval({ sessionId: id, runId }, rememberable());
    const body = JSON.stringify({ request: request.id });
    const bodyHash = createHash('sha256').update(body).digest('hex');
    file.write(writer.line({ kind: 'request', request, state: 'declined', settledAt: 1, settlement: null }));
    file.write(writer.line({ kind: 'audit', requestId: request.id, body, bodyHash }));
  }
  file.end(writer.line({ kind: 'end', lines: writer.lines + 1 }));
  await once(file, 'finish');
  return { id, path };
}

/** Appends every few milliseconds, as a run does, until the work ends. */
async function appendWhile(work: Promise<unknown>) {
  const ref = startSession(store.journal);
  const ended = { yet: false };
  const settled = work.finally(() => {
    ended.yet = true;
  });
  settled.catch(() => {});
  let appended = 0;
  while (!ended.yet) {
    store.journal.append(ref, [text(`goes on ${appended}`)], appended % 2 === 0 ? 'durable' : 'batched');
    appended += 1;
    await wait(3);
  }
  await settled;
  return { appended, ref };
}

const rows = (table: string, id: SessionId) =>
  store.database.prepare(`SELECT count(*) FROM ${table} WHERE session_id = ?`).pluck().get(id);

/** How many events of ours lie between the first and the last of a session that was written meanwhile. */
function between(ours: SessionId, theirs: SessionId): number {
  const sql = `SELECT count(*) FROM events WHERE session_id = ? AND seq >
    (SELECT min(seq) FROM events WHERE session_id = ?) AND seq < (SELECT max(seq) FROM events WHERE session_id = ?)`;
  return Number(store.database.prepare(sql).pluck().get(ours, theirs, theirs));
}

describe('a run that appends all the while', { timeout: 120_000 }, () => {
  it('is not kept waiting by an import, a fork or a deletion of many events', async () => {
    const { id, path } = await longFile(EVENTS, 200);
    const taken = await appendWhile(worker.ask('import', { path }));
    expect(between(taken.ref.sessionId, id)).toBeGreaterThan(AT_LEAST);
    expect(rows('events', id)).toBe(EVENTS);
    expect(store.reader.session(id)).toMatchObject({ id, state: 'completed' });
    expect(await store.audit.verify()).toEqual({ ok: true, rows: 200 });

    const seq = Number(store.database.prepare('SELECT max(seq) FROM events WHERE session_id = ?').pluck().get(id));
    const newId = SessionId.parse(randomUUID());
    const fork = { sessionId: id, seq, newId, runId: RunId.parse(randomUUID()) };
    const forked = await appendWhile(worker.ask('fork', fork));
    expect(between(forked.ref.sessionId, newId)).toBeGreaterThan(0);
    expect(rows('events', newId)).toBe(EVENTS + 2);

    const deleted = await appendWhile(worker.ask('delete', { sessionIds: [id], olderThanDays: null }));
    expect(deleted.appended).toBeGreaterThan(AT_LEAST);
    expect(rows('events', id)).toBe(0);
  });

  it('and a deletion at the same time leave an import alone', async () => {
    const { id, path } = await longFile(3_000);
    const old = startSession(store.journal);
    const importing = worker.ask('import', { path });
    const clearing = (async () => {
      while (Number(rows('events', id)) === 0) await wait(2);
      await worker.ask('delete', { sessionIds: [old.sessionId], olderThanDays: null });
      await worker.ask('finish-deleting', {});
    })();
    await Promise.all([importing, clearing]);
    expect(rows('events', id)).toBe(3_000);
    expect(store.reader.session(id)).not.toBeNull();
  });
});

describe('an import that is killed in the middle', { timeout: 60_000 }, () => {
  it('shows nothing, is cleared by the next start, and can be done again', async () => {
    const { id, path } = await longFile(3_000, 50);
    const importing = worker.ask('import', { path });
    importing.catch(() => {});
    while (Number(rows('events', id)) === 0) await wait(1);
    await worker.close();
    await expect(importing).rejects.toThrow();
    const left = Number(rows('events', id));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(3_000);
    expect(store.reader.session(id)).toBeNull();
    expect(store.reader.list({ query: 'quokka', limit: 10, after: null }).sessions).toEqual([]);
    expect(store.reader.unendedRuns().filter(({ sessionId }) => sessionId === id)).toEqual([]);
    expect(await store.audit.verify()).toEqual({ ok: true, rows: 0 });

    await new SessionRemover(store.database).finish(() => {});
    for (const table of ['events', 'requests', 'grants', 'runs', 'audit']) expect(rows(table, id), table).toBe(0);
    expect(await importSession(store.database, path, () => {})).toBe(id);
    expect(rows('events', id)).toBe(3_000);
    expect(await store.audit.verify()).toEqual({ ok: true, rows: 50 });
  });

  it('leaves of its decisions what a deletion leaves, their hashes, which get their content back', async () => {
    const { id, path } = await longFile(10, 4_000);
    const importing = worker.ask('import', { path });
    importing.catch(() => {});
    while (Number(rows('audit', id)) === 0) await wait(1);
    await worker.close();
    await expect(importing).rejects.toThrow();
    const left = Number(rows('audit', id));
    expect(left).toBeLessThan(4_000);
    expect(store.reader.session(id)).toBeNull();

    await new SessionRemover(store.database).finish(() => {});
    const kept = store.database.prepare('SELECT count(body) FROM audit WHERE session_id = ?').pluck().get(id);
    expect({ rows: rows('audit', id), kept }).toEqual({ rows: left, kept: 0 });
    expect(await store.audit.verify()).toEqual({ ok: true, rows: left });
    await importSession(store.database, path, () => {});
    expect(store.database.prepare('SELECT count(body) FROM audit').pluck().get()).toBe(4_000);
    expect(await store.audit.verify()).toEqual({ ok: true, rows: 4_000 });
  });

  it('leaves nothing where another process clears it meanwhile', async () => {
    const { id, path } = await longFile(3_000);
    const importing = worker.ask('import', { path });
    importing.catch(() => {});
    while (Number(rows('events', id)) === 0) await wait(1);
    await new SessionRemover(store.database).finish(() => {});
    await expect(importing).rejects.toThrow(/Nothing was taken in/);
    expect(store.reader.session(id)).toBeNull();
    expect(rows('events', id)).toBe(0);
  });
});
