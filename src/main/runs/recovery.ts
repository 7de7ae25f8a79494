import type { EventBody } from '@shared/events';
import type { SessionId } from '@shared/ids';
import Database from 'better-sqlite3';
import { ZodError } from 'zod';
import type { Inbox } from '../approvals/inbox';
import type { Journal, RunRef } from '../sessions/journal';
import type { SessionReader } from '../sessions/reader';
import { conversationOf } from './conversation';

/**
 * Ends on record what a crash left open: its requests are interrupted, and so are its runs. No decision is recorded and
 * nothing runs; the sessions can be resumed. For the start of the app, before any run, of all sessions that no other
 * living process runs; and for a session that was brought in from elsewhere.
 * A run whose last word was spoken had come to its end: only that was not on record yet, and it is not asked again, unless
 * the operator said something while that word was made, which nobody has answered.
 * @param onDamage is told of each session that could not be put right, which keeps none of the others from it
 * @returns how many runs were interrupted
 * @throws what the store throws; and, where nobody is told of it, what is wrong with a session
 */
export function recoverInterrupted(
  reader: SessionReader,
  journal: Journal,
  inbox: Inbox,
  concerns: (sessionId: SessionId) => boolean = () => true,
  reason = 'the app ended unexpectedly',
  onDamage: (error: unknown) => void = rethrow,
): number {
  inbox.settleLeftovers(concerns);
  // A session that cannot be read is shown nowhere and cannot be resumed: there is nothing to put right in it.
  const runs = reader.unendedRuns().filter(({ sessionId }) => concerns(sessionId) && isReadable(reader, sessionId));
  let interrupted = 0;
  for (const run of runs) {
    try {
      const end: EventBody = hadFinished(reader, run)
        ? { type: 'run_ended', state: 'completed', reason: 'done' }
        : { type: 'run_ended', state: 'interrupted', reason };
      journal.append(run, [end], 'durable');
      if (end.state === 'interrupted') interrupted += 1;
    } catch (error) {
      if (error instanceof Database.SqliteError) throw error;
      onDamage(error);
    }
  }
  return interrupted;
}

/** Where the runs worked that a crash left open, as far as their sessions can be read. */
export function workspacesLeft(reader: SessionReader, concerns: (sessionId: SessionId) => boolean): string[] {
  const ids = reader.unendedRuns().flatMap(({ sessionId }) => (concerns(sessionId) ? [sessionId] : []));
  const readable = ids.filter((sessionId) => isReadable(reader, sessionId));
  return [...new Set(readable.flatMap((sessionId) => reader.session(sessionId)?.workspace ?? []))];
}

function rethrow(error: unknown): never {
  throw error;
}

function hadFinished(reader: SessionReader, { sessionId, runId }: RunRef): boolean {
  const last = reader.lastStep(sessionId);
  if (last === null || last.runId !== runId || last.body.type !== 'assistant_message') return false;
  const { blocks, stopReason } = last.body;
  if (stopReason !== 'end_turn' || blocks.some((block) => block.type === 'tool_use')) return false;
  return conversationOf(reader.newestRunEvents(sessionId)).messages.at(-1)?.role === 'assistant';
}

function isReadable(reader: SessionReader, sessionId: SessionId): boolean {
  try {
    return reader.session(sessionId) !== null;
  } catch (error) {
    if (error instanceof ZodError) return false;
    throw error;
  }
}
