import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionId } from '@shared/ids';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DATABASE_FILE } from '../../../src/main/sessions/database';
import { MIGRATIONS } from '../../../src/main/sessions/migrations';
import { parseSearch } from '../../../src/main/sessions/search/query';
import { Search } from '../../../src/main/sessions/search/search';
import { openStore, type Store } from '../../support/store';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'sayso-old-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** The store as a program of that version left it. */
async function openOld(version: number): Promise<Store> {
  await copyFile(`test/fixtures/store-v${version}.sqlite`, join(home, DATABASE_FILE));
  return openStore(home);
}

describe('a store of version 1', () => {
  it('is brought to the current version with everything that was in it, and its old file is kept', async () => {
    await copyFile('test/fixtures/store-v1.sqlite', join(home, 'before.sqlite'));
    const before = new Database(join(home, 'before.sqlite'));
    const store = await openOld(1);
    expect(store.database.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
    for (const table of ['events', 'requests', 'grants', 'audit', 'runs']) {
      const rows = `SELECT * FROM ${table}`;
      expect(store.database.prepare(rows).all()).toEqual(before.prepare(rows).all());
    }
    before.close();
    const kept = new Database(join(home, `${DATABASE_FILE}.before-version-${MIGRATIONS.length}`), { readonly: true });
    expect(kept.pragma('user_version', { simple: true })).toBe(1);
    kept.close();
    expect(await store.audit.verify()).toEqual({ ok: true, rows: 2 });
    await store.close();
  });

  it('has its sessions counted, its index filled and its journals readable', async () => {
    const store = await openOld(1);
    const { sessions } = store.reader.list({ query: '', limit: 10, after: null });
    expect(sessions).toMatchObject([
      { openRequests: 1, approved: 0, denied: 0, pinned: false, origin: null },
      { state: 'completed', approved: 1, denied: 1 },
    ]);
    const parsed = parseSearch('outcome:declined tool:shell curl', Date.now());
    if (!parsed.ok) throw new Error(parsed.problem);
    const { hits } = new Search(store.database).find(parsed.query, { before: null, limit: 10 });
    expect(hits).toMatchObject([{ seq: 19, sessionId: sessions[1]?.id, type: 'request_settled' }]);
    for (const { id } of sessions) {
      const { events } = store.reader.events({ sessionId: id, from: { at: 'end' }, limit: 100 });
      expect(events.filter(({ body }) => body.type === 'notice')).toEqual([]);
    }
    await store.close();
  });
});

describe('a store of version 2', () => {
  it('is brought to the current version as it is, and its sessions go on as ones of its own', async () => {
    await copyFile('test/fixtures/store-v2.sqlite', join(home, 'before.sqlite'));
    const before = new Database(join(home, 'before.sqlite'));
    const store = await openOld(2);
    expect(store.database.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
    for (const table of ['events', 'requests', 'grants', 'audit', 'runs', 'holders', 'event_search']) {
      const rows = `SELECT * FROM ${table}`;
      expect(store.database.prepare(rows).all(), table).toEqual(before.prepare(rows).all());
    }
    const sessions = before.prepare('SELECT * FROM sessions').all();
    expect(sessions).toHaveLength(3);
    expect(store.database.prepare('SELECT * FROM sessions').all()).toEqual(
      sessions.map((row) => ({ ...Object(row), taken_in_at: null })),
    );
    before.close();
    expect(store.reader.list({ query: 'quokka', limit: 10, after: null }).sessions).toHaveLength(2);
    expect(await store.audit.verify()).toEqual({ ok: true, rows: 2 });
    await store.close();
  });
});

describe('a store of version 3', () => {
  it('has its journals read without what merely streamed, and with a reply that was cut off', async () => {
    await copyFile('test/fixtures/store-v3.sqlite', join(home, 'before.sqlite'));
    const before = new Database(join(home, 'before.sqlite'));
    const store = await openOld(3);
    expect(store.database.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
    for (const table of ['sessions', 'events', 'requests', 'grants', 'audit', 'runs', 'holders', 'event_search']) {
      const rows = `SELECT * FROM ${table}`;
      expect(store.database.prepare(rows).all(), table).toEqual(before.prepare(rows).all());
    }
    const cut = before
      .prepare("SELECT session_id FROM events WHERE type = 'model_delta' AND body LIKE '%cut%'")
      .pluck();
    const { events } = store.reader.events({
      sessionId: SessionId.parse(cut.get()),
      from: { at: 'end' },
      limit: 100,
    });
    expect(events.map(({ body }) => (body.type === 'model_delta' ? body.text : body.type))).toEqual([
      'run_started',
      'user_message',
      'model_started',
      'assistant_message',
      'model_started',
      'It was cut',
      'run_ended',
    ]);
    before.close();
    await store.close();
  });
});
