import { z } from 'zod';
import { SessionId, Timestamp } from './ids';
import { ApprovalMode, Provider, RunState } from './states';

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
  /** Open requests of this session, and when the first of them expires. */
  openRequests: z.number().int().nonnegative(),
  nextExpiryAt: Timestamp.nullable(),
});
export type SessionSummary = z.infer<typeof SessionSummary>;
