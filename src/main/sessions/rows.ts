import { EventBody, type JournalEvent, MAX_COST_USD, MAX_TOKENS } from '@shared/events';
import { MAX_TIMESTAMP, RunId, SessionId } from '@shared/ids';
import { Grant, Request } from '@shared/requests';
import { SessionOrigin, SessionSummary } from '@shared/sessions';
import { z } from 'zod';

/** Of a number beyond its bound, which an older Sayso took in, the bound is left: no row is lost for it. */
const upTo = (bound: number) => z.number().transform((value) => Math.min(Math.max(0, value), bound));

/** A time as it stands in a row. */
export const RowTime = upTo(MAX_TIMESTAMP);

/** Of words in a list, which an older Sayso took in at any length, no more than a list can show. */
const ListWords = z.string().transform((words) => words.slice(0, 1_000));

/** Rows are parsed like anything else from outside: a damaged or foreign one must not be believed. */
const SessionRow = z
  .object({
    id: z.string(),
    title: ListWords,
    agent_id: z.string(),
    agent: ListWords,
    provider: z.string(),
    model: z.string(),
    workspace: z.string(),
    mode: z.string(),
    state: z.string(),
    detail: ListWords,
    created_at: RowTime,
    updated_at: RowTime,
    turns: z.number(),
    tokens: z.number(),
    cost_usd: z.number().nullable(),
    working_ms: z.number(),
    waiting_ms: z.number(),
    approved: z.number(),
    denied: z.number(),
    open_requests: z.number(),
    next_expiry_at: RowTime.nullable(),
    pinned: z.number(),
    origin: z.string().nullable(),
  })
  .transform((row) => ({
    id: row.id,
    title: row.title,
    agentId: row.agent_id,
    agent: row.agent,
    provider: row.provider,
    model: row.model,
    workspace: row.workspace,
    mode: row.mode,
    state: row.state,
    detail: row.detail,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    turns: row.turns,
    tokens: row.tokens,
    costUsd: row.cost_usd,
    workingMs: row.working_ms,
    waitingMs: row.waiting_ms,
    approved: row.approved,
    denied: row.denied,
    openRequests: row.open_requests,
    nextExpiryAt: row.next_expiry_at,
    pinned: row.pinned !== 0,
    origin: row.origin === null ? null : readOrigin(row.origin),
  }))
  .pipe(SessionSummary);

/** Where a session comes from is worth knowing, but not worth losing the session for. */
function readOrigin(text: string): z.input<typeof SessionOrigin> | null {
  return parsed(SessionOrigin, parseJson(text));
}

/** @throws z.ZodError for a row that cannot be read */
export function readSessionRow(row: unknown): SessionSummary {
  return SessionRow.parse(row);
}

/** Sessions that can be read: a damaged one must not hide the others. */
export function readSessionRows(rows: readonly unknown[]): SessionSummary[] {
  return rows.map((row) => parsed(SessionRow, row)).filter((session) => session !== null);
}

const EventRow = z.object({
  seq: z.number().int().positive(),
  session_id: SessionId,
  run_id: RunId,
  at: RowTime,
  type: z.string(),
  body: z.string(),
});
export type EventRow = z.infer<typeof EventRow>;

/** @throws z.ZodError for a row that says not even whose event it is */
export function parseEventRow(row: unknown): EventRow {
  return EventRow.parse(row);
}

/** An event whose text cannot be read is shown in its place as a notice: a damaged line hides none of the others. */
export function eventOfRow({ seq, session_id: sessionId, run_id: runId, at, body }: EventRow): JournalEvent {
  const damaged = `Entry ${seq} of this journal is damaged and cannot be read.`;
  const readable = readBody(body) ?? { type: 'notice', level: 'error', text: damaged };
  return { seq, sessionId, runId, at, body: readable };
}

const Spent = z.looseObject({
  usage: z.object({
    input: upTo(MAX_TOKENS),
    output: upTo(MAX_TOKENS),
    cacheRead: upTo(MAX_TOKENS),
    cacheWrite: upTo(MAX_TOKENS),
    costUsd: upTo(MAX_COST_USD).nullable(),
  }),
});

/** What an event says; null where it cannot be read. */
export function readBody(text: string): EventBody | null {
  const body = parseJson(text);
  return parsed(EventBody, body) ?? parsed(EventBody, parsed(Spent, body));
}

/** @throws z.ZodError for a row that says not even whose event it is */
export function readEventRow(row: unknown): JournalEvent {
  return eventOfRow(parseEventRow(row));
}

const GrantRow = z
  .object({
    id: z.string(),
    session_id: z.string(),
    match: z.string(),
    covers: z.string(),
    created_at: z.number(),
    expires_at: z.number().nullable(),
    uses: z.number(),
    revoked_at: z.number().nullable(),
  })
  .transform((row) => ({
    id: row.id,
    sessionId: row.session_id,
    match: parseJson(row.match),
    covers: row.covers,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    uses: row.uses,
    revokedAt: row.revoked_at,
  }))
  .pipe(Grant);

/** null for a grant that cannot be read: it covers nothing. */
export function readGrantRow(row: unknown): Grant | null {
  return parsed(GrantRow, row);
}

/** Grants that can be read. */
export function readGrantRows(rows: readonly unknown[]): Grant[] {
  return rows.map(readGrantRow).filter((grant) => grant !== null);
}

const RequestRow = z
  .object({ body: z.string() })
  .transform((row) => parseJson(row.body))
  .pipe(Request);

/** null for a request that cannot be read. */
export function readRequestRow(row: unknown): Request | null {
  return parsed(RequestRow, row);
}

/** What a schema makes of a value; null where the value is another, or one that not even can be looked at. */
function parsed<T>(schema: z.ZodType<T>, value: unknown): T | null {
  try {
    return schema.safeParse(value).data ?? null;
  } catch {
    // Nested deeper than the stack, for example.
    return null;
  }
}

/** undefined for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
