import { z } from 'zod';
import { SessionId, Timestamp } from './ids';
import { ApprovalMode, Provider, RunState } from './states';

/** In characters (code points), of a title that is typed or taken over. */
export const MAX_TITLE = 200;

/** Where a session comes from, when it was not begun by itself. */
export const SessionOrigin = z.strictObject({
  kind: z.enum(['fork', 'clear']),
  /** The session that it comes from; it may be gone by now, or be on another machine. */
  sessionId: SessionId,
  title: z.string(),
  /** The last event that was taken over; null where none was. */
  seq: z.number().int().positive().nullable(),
});
export type SessionOrigin = z.infer<typeof SessionOrigin>;

/** A session as the sidebar and the head of its page show it; derived from the journal as it grows. */
export const SessionSummary = z.strictObject({
  id: SessionId,
  title: z.string(),
  agentId: z.string(),
  agent: z.string(),
  provider: Provider,
  model: z.string(),
  workspace: z.string(),
  mode: ApprovalMode,
  state: RunState,
  /** What it is doing or how it ended, in a few words: "wants to run git push", "the key was refused (401)". */
  detail: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  turns: z.number().int().nonnegative(),
  /** All tokens, input and output, of all its runs. */
  tokens: z.number().int().nonnegative(),
  costUsd: z.number().nonnegative().nullable(),
  /** Time spent in runs, without the time spent waiting for the operator, in milliseconds up to `updatedAt`. */
  workingMs: z.number().int().nonnegative(),
  /** Time spent waiting for the operator, in milliseconds up to `updatedAt`. */
  waitingMs: z.number().int().nonnegative(),
  /** Requests that were approved or answered, and calls that were not carried out. */
  approved: z.number().int().nonnegative(),
  denied: z.number().int().nonnegative(),
  /** Open requests of this session, and when the first of them expires. */
  openRequests: z.number().int().nonnegative(),
  nextExpiryAt: Timestamp.nullable(),
  /** Kept at the top of the ended ones, and never deleted by a rule. */
  pinned: z.boolean(),
  origin: SessionOrigin.nullable(),
});
export type SessionSummary = z.infer<typeof SessionSummary>;

/** An event that a search found. */
export const SearchHit = z.strictObject({
  sessionId: SessionId,
  seq: z.number().int().positive(),
  at: Timestamp,
  /** The kind of event, as the journal calls it. */
  type: z.string(),
  title: z.string(),
  /** What was found, and a few words around it. */
  snippet: z.array(z.strictObject({ text: z.string(), found: z.boolean() })),
});
export type SearchHit = z.infer<typeof SearchHit>;

/** What deleting sessions takes away. */
export const Removal = z.strictObject({
  sessions: z.number().int().nonnegative(),
  events: z.number().int().nonnegative(),
  bytes: z.number().int().nonnegative(),
  /** Decisions of which the audit keeps nothing but a hash. */
  auditRows: z.number().int().nonnegative(),
  /** Sessions that stay and hold what they took over when they were forked. */
  forks: z.number().int().nonnegative(),
  /** Files in the data folder that are older copies of the whole store, by name: they stay as they are. */
  aside: z.array(z.string()),
});
export type Removal = z.infer<typeof Removal>;

/** A session that a rule would delete. */
export const OldSession = z.strictObject({ id: SessionId, title: z.string(), updatedAt: Timestamp });
export type OldSession = z.infer<typeof OldSession>;

/** `jsonl` is whole and can be taken in again; the others are for reading. */
export const ExportFormat = z.enum(['jsonl', 'markdown', 'html']);
export type ExportFormat = z.infer<typeof ExportFormat>;
