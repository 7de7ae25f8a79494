import { randomUUID } from 'node:crypto';
import type { EventBody } from '@shared/events';
import { CallId, RequestId, RunId, SessionId } from '@shared/ids';
import type { ApprovalRequest } from '@shared/requests';
import type { SqliteDatabase } from '../../src/main/sessions/database';
import { searchEntry } from '../../src/main/sessions/search/search-entry';
import { random } from './random';
import { TIER } from './store';

export interface BigStore {
  /** Events of one session that is much longer than the others. */
  readonly longSession: number;
  /** Events of the whole store. */
  readonly events: number;
  readonly sessions: number;
}

const AGENTS = ['release-bot', 'triage', 'night-watch', 'docs-writer', 'migrator'];
const STATES = ['completed', 'completed', 'completed', 'failed', 'stopped', 'budget', 'interrupted'];
const TOOLS = ['shell', 'run_command', 'edit_file', 'write_file'];
const PROGRAMS = ['git', 'curl', 'npm', 'make', 'rm', 'docker', 'kubectl', 'terraform', 'psql', 'ssh'];

/** Fills an empty store as years of work would, straight into its tables. Returns the long session's id. */
export function fillBigStore(database: SqliteDatabase, size: BigStore): SessionId {
  const next = random(42);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T;
  // Few words are common and most are rare, as in any language.
  const word = () => `word${Math.floor(20_000 ** next())}`;
  const words = (count: number) => Array.from({ length: count }, word).join(' ');
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
  const start = Date.now() - 600 * 86_400_000;
  let at = start;
  const step = (Date.now() - start) / size.events;

  const session = (count: number, index: number): SessionId => {
    const ref = { sessionId: SessionId.parse(randomUUID()), runId: RunId.parse(randomUUID()) };
    const agent = pick(AGENTS);
    const began = at;
    insertSession.run(ref.sessionId, `${words(3)} ${index}`, agent, agent, pick(STATES), began, began);
    insertRun.run(ref.runId, ref.sessionId, began, began);
    let asked: ApprovalRequest | null = null;
    for (let number = 0; number < count; number += 1) {
      at += step;
      const body = bodyOf(number, ref, agent, asked, Math.floor(at));
      asked = body.type === 'request_opened' && body.request.kind === 'approval' ? body.request : asked;
      const row = insertEvent.run(ref.sessionId, ref.runId, Math.floor(at), body.type, JSON.stringify(body));
      const found = searchEntry(body, { agent, at: Math.floor(at), request: () => asked });
      if (found !== null) insertText.run(row.lastInsertRowid, found.text, found.facets);
    }
    database.prepare('UPDATE sessions SET updated_at = ? WHERE id = ?').run(Math.floor(at), ref.sessionId);
    return ref.sessionId;
  };

  /** Of ten events six only stream; the others are said, asked, decided and run. */
  const bodyOf = (
    number: number,
    ref: { readonly sessionId: SessionId; readonly runId: RunId },
    agent: string,
    asked: ApprovalRequest | null,
    now: number,
  ): EventBody => {
    const turn = 1 + Math.floor(number / 10);
    const callId = CallId.parse(`call_${turn}`);
    switch (number % 10) {
      case 0:
        if (number === 0) return { type: 'user_message', text: words(30) };
        return { type: 'run_state', state: 'thinking' };
      case 6: {
        const usage = { input: 900, output: 90, cacheRead: 0, cacheWrite: 0, costUsd: 0.01 };
        return {
          type: 'assistant_message',
          turn,
          blocks: [{ type: 'text', text: words(60) }],
          stopReason: 'tool_use',
          usage,
        };
      }
      case 7: {
        const command = [pick(PROGRAMS), ...words(4).split(' ')];
        const tokens = command.map((text) => ({ segments: [{ text, escape: false }], warnings: [] }));
        return {
          type: 'request_opened',
          request: {
            id: RequestId.parse(randomUUID()),
            ...ref,
            callId,
            agent,
            sessionTitle: 'a session',
            turn,
            tool: pick(TOOLS),
            createdAt: now,
            expiresAt: now + 120_000,
            digest: 'a'.repeat(64),
            kind: 'approval',
            preview: { kind: 'arguments', rows: [] },
            command: tokens,
            cwd: '/ws',
            gatedBy: { because: 'mode', mode: 'ask' },
            sandbox: TIER,
            labels: next() < 0.3 ? [{ id: 'network', text: 'reaches the network', severity: 'medium' }] : [],
            remember: [],
            changed: null,
          },
        };
      }
      case 8: {
        if (asked === null) return { type: 'run_state', state: 'waiting' };
        const outcome = next() < 0.9 ? 'approved' : 'declined';
        return {
          type: 'request_settled',
          requestId: asked.id,
          callId,
          settlement: { outcome, by: 'operator' },
          afterMs: 5_000,
        };
      }
      case 9:
        return {
          type: 'call_started',
          turn,
          callId,
          tool: asked?.tool ?? 'shell',
          preview: { kind: 'arguments', rows: [] },
          command: asked?.command ?? [],
          digest: 'a'.repeat(64),
          program: null,
          allowedBy: 'operator',
        };
      default:
        return { type: 'model_delta', turn, attempt: 1, kind: 'text', text: words(8) };
    }
  };

  const rest = Math.max(1, Math.floor((size.events - size.longSession) / size.sessions));
  let long: SessionId | null = null;
  const half = Math.floor(size.sessions / 2);
  for (let from = 0; from < size.sessions; from += 200) {
    database.transaction(() => {
      for (let index = from; index < Math.min(from + 200, size.sessions); index += 1) {
        if (index === half) long = session(size.longSession, -1);
        session(rest, index);
      }
    })();
  }
  if (long === null) throw new Error('there is no long session');
  return long;
}
