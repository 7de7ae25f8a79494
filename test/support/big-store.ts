import { randomUUID } from 'node:crypto';
import type { EventBody } from '@shared/events';
import { RunId, SessionId } from '@shared/ids';
import type { Request } from '@shared/requests';
import type { SqliteDatabase } from '../../src/main/sessions/database';
import { searchEntry } from '../../src/main/sessions/search/search-entry';
import { chanceOf } from './chance';
import { journalMix, type MixedSession } from './journal-mix';
import { random } from './random';

export interface BigStore {
  /** Events of one session that is much longer than the others. */
  readonly longSession: number;
  /** Events of the whole store. */
  readonly events: number;
  readonly sessions: number;
}

const AGENTS = ['release-bot', 'triage', 'night-watch', 'docs-writer', 'migrator'];
const STATES = ['completed', 'completed', 'completed', 'failed', 'stopped', 'budget', 'interrupted'];

/** The title of the session that is much longer than the others. */
export const LONG_TITLE = 'The session that goes on and on';

/** Fills an empty store as years of work would, straight into its tables. Returns the long session's id. */
export function fillBigStore(database: SqliteDatabase, size: BigStore): SessionId {
  const next = random(42);
  const chance = chanceOf(next);
  const insertSession = database.prepare(`
    INSERT INTO sessions (id, title, agent_id, agent, provider, model, workspace, mode, fingerprint, state, detail,
      created_at, updated_at, turns, tokens, cost_usd, working_ms, open_requests, next_expiry_at)
    VALUES (?, ?, ?, ?, 'scripted', 'scripted', '/ws', 'ask', '{}', ?, 'done', ?, ?, 5, 1000, 0.1, 1000, 0, NULL)`);
  const insertRun = database.prepare(
    "INSERT INTO runs (id, session_id, started_at, ended_at, state) VALUES (?, ?, ?, ?, 'completed')",
  );
  const insertEvent = database.prepare(
    'INSERT INTO events (session_id, run_id, at, type, body) VALUES (?, ?, ?, ?, ?)',
  );
  const insertText = database.prepare('INSERT INTO event_search (rowid, text, facets) VALUES (?, ?, ?)');
  const moved = database.prepare('UPDATE sessions SET updated_at = ? WHERE id = ?');
  const start = Date.now() - 600 * 86_400_000;
  let at = start;
  const step = (Date.now() - start) / size.events;

  const append = ({ sessionId, runId, agent }: MixedSession, body: EventBody, asked: Request | null): void => {
    at += step;
    const now = Math.floor(at);
    const row = insertEvent.run(sessionId, runId, now, body.type, JSON.stringify(body));
    const found = searchEntry(body, { agent, at: now, request: () => asked });
    if (found !== null) insertText.run(row.lastInsertRowid, found.text, found.facets);
  };

  const fillSession = (count: number, title: string): SessionId => {
    const ref = { sessionId: SessionId.parse(randomUUID()), runId: RunId.parse(randomUUID()) };
    const agent = chance.pick(AGENTS);
    const began = Math.floor(at);
    insertSession.run(ref.sessionId, title, agent, agent, chance.pick(STATES), began, began);
    insertRun.run(ref.runId, ref.sessionId, began, began);
    const session = { ...ref, agent, title };
    const bodies = journalMix(session, next, () => Math.floor(at));
    let asked: Request | null = null;
    for (let number = 1; number < count; number += 1) {
      const body = bodies.next().value as EventBody;
      if (body.type === 'request_opened') asked = body.request;
      append(session, body, asked);
    }
    append(session, { type: 'run_ended', state: 'completed', reason: 'done' }, asked);
    moved.run(Math.floor(at), ref.sessionId);
    return ref.sessionId;
  };

  const rest = Math.max(1, Math.floor((size.events - size.longSession) / size.sessions));
  let long: SessionId | null = null;
  const half = Math.floor(size.sessions / 2);
  for (let from = 0; from < size.sessions; from += 200) {
    database.transaction(() => {
      for (let index = from; index < Math.min(from + 200, size.sessions); index += 1) {
        if (index === half) long = fillSession(size.longSession, LONG_TITLE);
        fillSession(rest, `${chance.words(3)} ${index}`);
      }
    })();
  }
  if (long === null) throw new Error('there is no long session');
  return long;
}
