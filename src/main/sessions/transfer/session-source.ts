import { setImmediate } from 'node:timers/promises';
import type { JournalEvent } from '@shared/events';
import type { SessionId } from '@shared/ids';
import { RequestId, RunId } from '@shared/ids';
import { Settlement } from '@shared/requests';
import type { SessionSummary } from '@shared/sessions';
import { Outcome, RunState } from '@shared/states';
import { z } from 'zod';
import { GENESIS } from '../audit-chain';
import type { SqliteDatabase } from '../database';
import { SessionProblem } from '../problem';
import { parseJson, RowTime, readEventRow, readGrantRows, readRequestRow, readSessionRow } from '../rows';
import type { TransferRecord } from './records';

/** Events that are read at once: a few milliseconds, so that a search in the same thread hardly waits. */
const PAGE = 500;

const RunRow = z.object({
  id: RunId,
  started_at: RowTime,
  ended_at: RowTime.nullable(),
  state: RunState,
});
const RequestRow = z.object({
  state: z.union([z.literal('pending'), Outcome]),
  settled_at: RowTime.nullable(),
  settlement: z.string().nullable(),
});
const AuditRow = z.object({
  request_id: RequestId,
  body: z.string().nullable(),
  body_hash: z.string(),
  hash: z.string(),
  previous: z.string().nullable(),
});

/** All of one session as it was when it was opened; what is written meanwhile is left out. */
export class SessionSource {
  readonly session: SessionSummary;
  readonly fingerprint: string;
  readonly total: number;
  readonly #before: TransferRecord[];
  readonly #after: TransferRecord[];
  readonly #last: number;

  /** @throws SessionProblem when there is no such session */
  constructor(
    private readonly database: SqliteDatabase,
    private readonly id: SessionId,
  ) {
    const all = (sql: string) => database.prepare(sql).all(id);
    // One read transaction: rows that belong together are seen together.
    const whole = database.transaction(() => ({
      session: database.prepare('SELECT * FROM sessions WHERE id = ? AND deleted_at IS NULL').get(id),
      span: database.prepare('SELECT count(*) AS count, max(seq) AS last FROM events WHERE session_id = ?').get(id),
      runs: all('SELECT * FROM runs WHERE session_id = ? ORDER BY started_at, id'),
      requests: all('SELECT * FROM requests WHERE session_id = ? ORDER BY created_at, id'),
      grants: all('SELECT * FROM grants WHERE session_id = ? ORDER BY created_at, id'),
      audit: all(`SELECT *,
          (SELECT hash FROM audit AS before WHERE before.seq < audit.seq ORDER BY before.seq DESC LIMIT 1) AS previous
        FROM audit WHERE session_id = ? ORDER BY seq`),
    }))();
    if (whole.session === undefined) throw new SessionProblem('not-found', 'There is no such session.');
    this.session = readSessionRow(whole.session);
    this.fingerprint = z.object({ fingerprint: z.string() }).parse(whole.session).fingerprint;
    const span = z.object({ count: z.number(), last: z.number().nullable() }).parse(whole.span);
    this.total = span.count;
    this.#last = span.last ?? 0;
    this.#before = whole.runs.map((row): TransferRecord => {
      const run = RunRow.parse(row);
      return { kind: 'run', id: run.id, startedAt: run.started_at, endedAt: run.ended_at, state: run.state };
    });
    this.#after = [
      ...whole.requests.flatMap(requestRecord),
      ...readGrantRows(whole.grants).map((grant): TransferRecord => ({ kind: 'grant', grant })),
      ...whole.audit.map((row): TransferRecord => {
        const { request_id: requestId, body, body_hash: bodyHash, hash, previous } = AuditRow.parse(row);
        return { kind: 'audit', requestId, body, bodyHash, link: { previous: previous ?? GENESIS, hash } };
      }),
    ];
  }

  /** Every record but the last, in the order of the file. */
  async *records(exportedAt: number): AsyncGenerator<TransferRecord> {
    const { session, fingerprint } = this;
    yield { kind: 'session', format: 'sayso-session', version: 1, exportedAt, session, fingerprint };
    yield* this.#before;
    for await (const { seq, runId, at, body } of this.events()) yield { kind: 'event', seq, runId, at, body };
    yield* this.#after;
  }

  /** Every event, in order. */
  async *events(): AsyncGenerator<JournalEvent> {
    const page = this.database.prepare(
      `SELECT * FROM events WHERE session_id = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ${PAGE}`,
    );
    for (let after = 0; ; ) {
      const events = page.all(this.id, after, this.#last).map(readEventRow);
      yield* events;
      const last = events.at(-1);
      if (last === undefined || events.length < PAGE) return;
      after = last.seq;
      await setImmediate();
    }
  }
}

/** A request that cannot be read is left out, as it is everywhere else; its events still tell of it. */
function requestRecord(row: unknown): TransferRecord[] {
  const request = readRequestRow(row);
  if (request === null) return [];
  const { state, settled_at: settledAt, settlement } = RequestRow.parse(row);
  const parsed = settlement === null ? null : (Settlement.safeParse(parseJson(settlement)).data ?? null);
  return [{ kind: 'request', request, state, settledAt, settlement: parsed }];
}
