import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DATABASE_FILE } from '../../../src/main/sessions/database';
import type { StoreWorker } from '../../../src/main/sessions/worker/store-worker';
import { fillBigStore } from '../../support/big-store';
import { openStore, type Store, startSession } from '../../support/store';
import { buildStoreWorker } from '../../support/store-worker';

let built: Awaited<ReturnType<typeof buildStoreWorker>>;
let store: Store;
let worker: StoreWorker;
beforeAll(async () => {
  built = await buildStoreWorker();
});
afterAll(() => built.remove());
beforeEach(async () => {
  store = await openStore();
  worker = built.open(`${store.home}/${DATABASE_FILE}`);
});
afterEach(async () => {
  await worker.close();
  await store.close();
});

describe('the store’s worker', () => {
  it('reads in its own thread what was committed a moment ago', async () => {
    const { sessionId } = startSession(store.journal);
    const found = await worker.ask('search', { input: { query: 'something', limit: 10, before: null } });
    expect(found).toMatchObject({ kind: 'hits', hits: [{ sessionId }], hasMore: false });
    const list = await worker.ask('list', { input: { query: 'A session', limit: 10, after: null } });
    expect(list.sessions.map(({ id }) => id)).toEqual([sessionId]);
    expect(await worker.ask('check', {})).toEqual({ verdict: 'ok' });
  });

  it('hands on a problem with a query as what it is', async () => {
    const answer = await worker.ask('search', { input: { query: 'colour:red', limit: 10, before: null } });
    expect(answer).toMatchObject({ kind: 'problem', at: 0 });
  });

  it('refuses what is no request, and goes on', async () => {
    await expect(worker.ask('search', { input: { query: 'a', limit: 0, before: null } })).rejects.toThrow();
    expect(await worker.ask('check', {})).toEqual({ verdict: 'ok' });
  });

  it('answers a search while it does something that takes long', async () => {
    fillBigStore(store.database, { events: 40_000, longSession: 1_000, sessions: 400 });
    const list = () => worker.ask('list', { input: { query: 'curl', limit: 10, after: null } });
    await Promise.all([list(), worker.ask('statistics', { since: 0 })]);
    const order: string[] = [];
    const long = [1, 2, 3].map((number) =>
      worker.ask('statistics', { since: 0 }).then(() => order.push(`statistics ${number}`)),
    );
    await Promise.all([...long, list().then(() => order.push('list'))]);
    expect(order.indexOf('list')).toBeLessThan(order.indexOf('statistics 3'));
  });

  it('answers no more after it was closed', async () => {
    await worker.close();
    await expect(worker.ask('check', {})).rejects.toThrow('closing');
  });
});
