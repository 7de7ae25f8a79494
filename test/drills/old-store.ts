import { copyFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { GENESIS, linkHash } from '../../src/main/sessions/audit-chain';

/** The committed store of version 1. */
export const FIXTURE = { folder: resolve(__dirname, '../fixtures'), name: 'store-v1.sqlite' };

/** A session's columns in a store of version 1. */
const SESSION = `id, title, agent_id, agent, provider, model, workspace, mode, fingerprint, state, detail, created_at,
  updated_at, turns, tokens, cost_usd, working_ms, open_requests, next_expiry_at`;

/**
 * Makes an old store: the committed one of version 1, with what a store of today holds put into it as that version kept
 * it. So an old store with an interrupted run of ours in it can be brought to today's version, and the run gone on with.
 * @param path the store of today; it is replaced
 */
export async function makeOld(path: string): Promise<void> {
  const now = `${path}.now`;
  for (const end of ['', '-wal']) await copyFile(`${path}${end}`, `${now}${end}`).catch(() => {});
  for (const end of ['', '-wal', '-shm']) await rm(`${path}${end}`, { force: true });
  await copyFile(join(FIXTURE.folder, FIXTURE.name), path);
  const old = new Database(path);
  old.prepare('ATTACH ? AS now').run(now);
  old.transaction(() => {
    old.exec(`
      INSERT INTO sessions (${SESSION}) SELECT ${SESSION} FROM now.sessions;
      INSERT INTO runs SELECT * FROM now.runs;
      INSERT INTO events (session_id, run_id, at, type, body)
        SELECT session_id, run_id, at, type, body FROM now.events ORDER BY seq;
      INSERT INTO requests SELECT * FROM now.requests;
      INSERT INTO grants SELECT * FROM now.grants;`);
    let previous = String(old.prepare('SELECT hash FROM audit ORDER BY seq DESC').pluck().get() ?? GENESIS);
    const add = old.prepare('INSERT INTO audit (request_id, session_id, body, body_hash, hash) VALUES (?, ?, ?, ?, ?)');
    for (const row of old.prepare('SELECT * FROM now.audit ORDER BY seq').all()) {
      const { request_id, session_id, body, body_hash } = row as Record<string, string>;
      previous = linkHash(previous, String(request_id), String(body_hash));
      add.run(request_id, session_id, body, body_hash, previous);
    }
  })();
  old.close();
  for (const end of ['', '-wal', '-shm']) await rm(`${now}${end}`, { force: true });
}
