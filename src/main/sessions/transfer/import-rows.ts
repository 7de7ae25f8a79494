import type { SessionId } from '@shared/ids';
import { MAX_TITLE, type SessionSummary } from '@shared/sessions';
import { isTerminal } from '@shared/states';
import { GENESIS, linkHash } from '../audit-chain';
import type { SqliteDatabase } from '../database';
import { DETAIL_LENGTH } from '../summary';
import { titleOf } from '../title';
import type { RecordOf } from './records';
import type { Staged, StagedEvent } from './stage-file';

/** In characters: no agent file gives a longer name. */
const MAX_AGENT = 64;

/** It is marked as deleted, so that it is shown nowhere. */
export function insertSession(database: SqliteDatabase, { head, runs }: Staged, mark: number): void {
  const { session, fingerprint } = head;
  // Whoever takes it in goes on with it: what was running elsewhere does not run here.
  const running = !isTerminal(session.state) || runs.some(({ endedAt }) => endedAt === null);
  database
    .prepare(
      `INSERT INTO sessions (id, title, agent_id, agent, provider, model, workspace, mode, fingerprint, state, detail,
         created_at, updated_at, turns, tokens, cost_usd, working_ms, waiting_ms, approved, denied, open_requests,
         next_expiry_at, pinned, origin, deleted_at, taken_in_at)
       VALUES (@id, @title, @agentId, @agent, @provider, @model, @workspace, @mode, @fingerprint, @state, @detail,
         @createdAt, @updatedAt, @turns, @tokens, @costUsd, @workingMs, @waitingMs, @approved, @denied, 0,
         NULL, 0, @origin, @mark, @mark)`,
    )
    .run({
      ...session,
      ...wordsOf(session),
      fingerprint,
      mark,
      pinned: 0,
      mode: session.mode === 'auto' ? 'ask' : session.mode,
      state: running ? 'interrupted' : session.state,
    });
}

/** What a list shows of a session, held to what a list shows of one that was begun here: short lines, nothing unseen. */
function wordsOf({ title, agent, detail, origin }: SessionSummary) {
  return {
    title: titleOf(title, MAX_TITLE),
    agent: titleOf(agent, MAX_AGENT),
    detail: detail.trim() === '' ? '' : titleOf(detail, DETAIL_LENGTH),
    origin: origin === null ? null : JSON.stringify({ ...origin, title: titleOf(origin.title, MAX_TITLE) }),
  };
}

export function runWriter(database: SqliteDatabase, id: SessionId) {
  const insert = database.prepare(
    'INSERT INTO runs (id, session_id, started_at, ended_at, state) VALUES (?, ?, ?, ?, ?)',
  );
  return ({ id: runId, startedAt, endedAt, state }: RecordOf<'run'>) =>
    void insert.run(runId, id, startedAt, endedAt, state);
}

/** The order of the lines' own numbers is kept. */
export function* stagedEvents(database: SqliteDatabase): Generator<StagedEvent> {
  const page = database.prepare('SELECT * FROM staged WHERE number > ? ORDER BY number LIMIT 100');
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = page.all(after) as StagedEvent[];
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.number;
  }
}

/** Each event gets the next seq of this store. */
export function eventWriter(database: SqliteDatabase, id: SessionId) {
  const insert = database.prepare('INSERT INTO events (session_id, run_id, at, type, body) VALUES (?, ?, ?, ?, ?)');
  const insertText = database.prepare('INSERT INTO event_search (rowid, text, facets) VALUES (?, ?, ?)');
  return ({ run_id: runId, at, type, body, text, facets }: StagedEvent) => {
    const { lastInsertRowid } = insert.run(id, runId, at, type, body);
    if (text !== null) insertText.run(lastInsertRowid, text, facets);
  };
}

export function requestWriter(database: SqliteDatabase, id: SessionId) {
  const insert = database.prepare(
    `INSERT INTO requests (id, session_id, run_id, body, state, created_at, expires_at, settled_at, settlement)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return ({ request, state, settledAt, settlement }: RecordOf<'request'>) => {
    const { id: requestId, runId, createdAt, expiresAt } = request;
    const settled = settlement === null ? null : JSON.stringify(settlement);
    insert.run(requestId, id, runId, JSON.stringify(request), state, createdAt, expiresAt, settledAt, settled);
  };
}

export function grantWriter(database: SqliteDatabase, id: SessionId, now: number) {
  const insert = database.prepare(
    `INSERT INTO grants (id, session_id, match, covers, created_at, expires_at, uses, revoked_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return ({ grant }: RecordOf<'grant'>) => {
    const { match, covers, createdAt, expiresAt, uses, revokedAt } = grant;
    insert.run(grant.id, id, JSON.stringify(match), covers, createdAt, expiresAt, uses, revokedAt ?? now);
  };
}

/**
 * A decision that this store had, and whose content was deleted, gets it back; every other goes to the end of the chain as
 * it is then. What a kill leaves of them is what a deletion leaves of decisions: their hashes.
 */
export function auditWriter(database: SqliteDatabase, id: SessionId) {
  const there = database.prepare('SELECT body_hash FROM audit WHERE request_id = ?').pluck();
  const restore = database.prepare('UPDATE audit SET body = ? WHERE request_id = ? AND body IS NULL');
  const last = database.prepare('SELECT hash FROM audit ORDER BY seq DESC LIMIT 1').pluck();
  const insert = database.prepare(
    'INSERT INTO audit (request_id, session_id, body, body_hash, hash) VALUES (?, ?, ?, ?, ?)',
  );
  return ({ requestId, body, bodyHash }: RecordOf<'audit'>) => {
    if (there.get(requestId) === bodyHash) {
      restore.run(body, requestId);
      return;
    }
    const before = last.get();
    const previous = typeof before === 'string' ? before : GENESIS;
    insert.run(requestId, id, body, bodyHash, linkHash(previous, requestId, bodyHash));
  };
}
