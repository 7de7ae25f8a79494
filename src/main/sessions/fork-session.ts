import type { EventBody } from '@shared/events';
import type { RunId, SessionId } from '@shared/ids';
import type { SessionOrigin } from '@shared/sessions';
import { z } from 'zod';
import type { SqliteDatabase } from './database';
import { derivedTitle } from './derived-title';
import { SessionProblem } from './problem';
import { SessionRemover } from './remove-session';
import { readBody } from './rows';
import { inTheMaking, STEP_ROWS, writeInSteps } from './steps';

export interface ForkInput {
  readonly sessionId: SessionId;
  /** The last event that is taken over. */
  readonly seq: number;
  readonly newId: SessionId;
  readonly runId: RunId;
}

/**
 * What only streamed, what only told of a state, and approvals that were remembered there and are not here. All else is
 * needed: the conversation follows from it, `model_started` as well, behind which words wait for the reply.
 */
const LEFT_OUT = [
  'model_delta',
  'model_retry',
  'call_output',
  'compacting',
  'run_state',
  'grant_given',
  'grant_used',
  'grant_revoked',
];

/** The kinds of event that may say what was spent. */
const COSTS = "'assistant_message', 'compacted', 'notice', 'run_ended'";

const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 };

/**
 * Makes a session that begins with the events of another one up to a point, in short steps and unseen until the last. Its
 * history is not searched again, and what it cost is not counted again. It has none of the other's remembered approvals, and goes on with Resume or a message.
 * @throws SessionProblem when there is no such session or event
 */
export async function forkSession(database: SqliteDatabase, input: ForkInput): Promise<void> {
  const { newId } = input;
  inTheMaking(database).add(newId);
  try {
    const now = begin(database, input);
    try {
      await copyEvents(database, input);
      finish(database, input, now);
    } catch (error) {
      await new SessionRemover(database).clear(newId);
      throw error;
    }
  } finally {
    inTheMaking(database).delete(newId);
  }
}

/** The new session, marked as deleted: it is shown nowhere. */
function begin(database: SqliteDatabase, input: ForkInput): number {
  const { sessionId, seq, newId, runId } = input;
  const name = nameOf(database, input);
  const there = database.prepare('SELECT 1 FROM events WHERE session_id = ? AND seq = ?').get(sessionId, seq);
  if (there === undefined) throw new SessionProblem('not-found', 'This session has no such entry.');
  const now = Date.now();
  const insert = database.prepare(
    `INSERT INTO sessions (id, title, agent_id, agent, provider, model, workspace, mode, fingerprint, state, detail,
       created_at, updated_at, turns, tokens, cost_usd, working_ms, open_requests, next_expiry_at, origin, deleted_at,
       taken_in_at)
     SELECT @newId, @title, agent_id, agent, provider, model, workspace, mode, fingerprint, 'interrupted', 'forked',
       @now, @now, 0, 0, NULL, 0, 0, NULL, @origin, @now, taken_in_at FROM sessions WHERE id = @id`,
  );
  const insertRun = database.prepare(
    "INSERT INTO runs (id, session_id, started_at, ended_at, state) VALUES (?, ?, ?, ?, 'interrupted')",
  );
  database
    .transaction(() => {
      insert.run({
        newId,
        now,
        id: sessionId,
        ...name,
      });
      insertRun.run(runId, newId, now, now);
    })
    .immediate();
  return now;
}

/** What it is called, and says of where it comes from, while the other is there. */
function nameOf(database: SqliteDatabase, { sessionId, seq }: ForkInput) {
  const title = database
    .prepare('SELECT title FROM sessions WHERE id = ? AND deleted_at IS NULL')
    .pluck()
    .get(sessionId);
  if (typeof title !== 'string') throw new SessionProblem('not-found', 'There is no such session.');
  const origin: SessionOrigin = { kind: 'fork', sessionId, title, seq };
  return { title: derivedTitle(title, 'fork'), origin: JSON.stringify(origin) };
}

/** What is there up to the point does not change any more, so it need not be read at once. */
async function copyEvents(database: SqliteDatabase, { sessionId, seq, newId, runId }: ForkInput): Promise<void> {
  const open = new Set(openRequests(database, sessionId, seq));
  const copy = database.prepare(
    `INSERT INTO events (session_id, run_id, at, type, body)
     SELECT @newId, @runId, at, type,
       CASE WHEN type IN (${COSTS}) AND json_valid(body) THEN json_replace(body, '$.usage', json(@usage)) ELSE body END
     FROM events WHERE seq = @seq`,
  );
  const usage = JSON.stringify(NO_USAGE);
  await writeInSteps(database, eventsToCopy(database, sessionId, seq, open), (number) =>
    copy.run({ newId, runId, usage, seq: number }),
  );
}

function* eventsToCopy(
  database: SqliteDatabase,
  sessionId: SessionId,
  seq: number,
  open: ReadonlySet<string>,
): Generator<number> {
  const types = LEFT_OUT.map((type) => `'${type}'`).join(', ');
  const page = database.prepare(
    `SELECT seq, CASE WHEN type = 'request_opened' AND json_valid(body) THEN json_extract(body, '$.request.id') END AS opened
     FROM events WHERE session_id = ? AND seq > ? AND seq <= ? AND type NOT IN (${types}) ORDER BY seq LIMIT ${STEP_ROWS}`,
  );
  const Row = z.object({ seq: z.number(), opened: z.string().nullable() });
  for (let after = 0; ; ) {
    const rows = page.all(sessionId, after, seq).map((row) => Row.parse(row));
    for (const row of rows) if (row.opened === null || !open.has(row.opened)) yield row.seq;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.seq;
  }
}

/** The last step: the end of the history, and the mark goes. */
function finish(database: SqliteDatabase, input: ForkInput, now: number): void {
  const { newId, runId } = input;
  database
    .transaction(() => {
      // Of one that was deleted meanwhile some events may be missing; and it may be called something else by now.
      const name = nameOf(database, input);
      endHistory(database, { newId, runId, now });
      const shown = database.prepare(
        'UPDATE sessions SET title = @title, origin = @origin, deleted_at = NULL WHERE id = @newId AND deleted_at = @now',
      );
      const run = database.prepare('SELECT 1 FROM runs WHERE id = ?').get(runId);
      if (shown.run({ newId, now, ...name }).changes !== 1 || run === undefined) {
        throw new SessionProblem('conflict', 'Another Sayso cleared what was being forked. Fork it again.');
      }
    })
    .immediate();
}

/** Requests that were asked and not yet settled at that point: nobody waits for them in the fork. */
function openRequests(database: SqliteDatabase, sessionId: SessionId, seq: number): string[] {
  const ids = database
    .prepare(
      `SELECT json_extract(body, '$.request.id') FROM events WHERE session_id = ? AND seq <= ?
         AND CASE WHEN type = 'request_opened' THEN json_valid(body) END
       EXCEPT
       SELECT json_extract(body, '$.requestId') FROM events WHERE session_id = ? AND seq <= ?
         AND CASE WHEN type = 'request_settled' THEN json_valid(body) END`,
    )
    .pluck()
    .all(sessionId, seq, sessionId, seq);
  return ids.map((id) => z.string().parse(id));
}

const Last = z.object({ type: z.string(), body: z.string() });

/** Says where the history ends; and ends its run, where the point lies in the middle of one. */
function endHistory(
  database: SqliteDatabase,
  { newId, runId, now }: { newId: SessionId; runId: RunId; now: number },
): void {
  const row = database
    .prepare("SELECT type, body FROM events WHERE session_id = ? AND type != 'notice' ORDER BY seq DESC LIMIT 1")
    .get(newId);
  const last = Last.safeParse(row).data;
  const ended = last?.type === 'run_ended' ? readBody(last.body) : null;
  const reason = 'forked in the middle of its run';
  const end: EventBody = ended?.type === 'run_ended' ? ended : { type: 'run_ended', state: 'interrupted', reason };
  const notice: EventBody = { type: 'notice', level: 'info', text: 'Forked. What follows is new.' };
  const insert = database.prepare('INSERT INTO events (session_id, run_id, at, type, body) VALUES (?, ?, ?, ?, ?)');
  for (const body of ended === null ? [end, notice] : [notice]) {
    insert.run(newId, runId, now, body.type, JSON.stringify(body));
  }
  if (end.type !== 'run_ended') return;
  database.prepare('UPDATE sessions SET state = ?, detail = ? WHERE id = ?').run(end.state, end.reason, newId);
}
