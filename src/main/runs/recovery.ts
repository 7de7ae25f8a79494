import type { EventBody } from '@shared/events';
import type { SessionId } from '@shared/ids';
import { ZodError } from 'zod';
import type { Inbox } from '../approvals/inbox';
import type { Journal, RunRef } from '../sessions/journal';
import type { SessionReader } from '../sessions/reader';

/**
 * Ends on record what a crash left open: its requests are interrupted, and so are its runs. No decision is recorded and
 * nothing runs; the sessions can be resumed. For the start of the app, before any run, of all sessions that no other
 * living process runs; and for a session that was brought in from elsewhere.
 * A run whose last word was spoken had come to its end: only that was not on record yet, and it is not asked again.
 * @returns how many runs were interrupted
 */
export function recoverInterrupted(
  reader: SessionReader,
  journal: Journal,
  inbox: Inbox,
  concerns: (sessionId: SessionId) => boolean = () => true,
  reason = 'the app ended unexpectedly',
): number {
  inbox.settleLeftovers(concerns);
  // A session that cannot be read is shown nowhere and cannot be resumed: there is nothing to put right in it.
  const runs = reader.unendedRuns().filter(({ sessionId }) => concerns(sessionId) && isReadable(reader, sessionId));
  const finished = new Set(runs.filter((run) => hadFinished(reader, run)));
  for (const run of runs) {
    const end: EventBody = finished.has(run)
      ? { type: 'run_ended', state: 'completed', reason: 'done' }
      : { type: 'run_ended', state: 'interrupted', reason };
    journal.append(run, [end], 'durable');
  }
  return runs.length - finished.size;
}

function hadFinished(reader: SessionReader, { sessionId, runId }: RunRef): boolean {
  const last = reader.lastStep(sessionId);
  if (last === null || last.runId !== runId || last.body.type !== 'assistant_message') return false;
  const { blocks, stopReason } = last.body;
  return stopReason === 'end_turn' && blocks.every((block) => block.type !== 'tool_use');
}

function isReadable(reader: SessionReader, sessionId: SessionId): boolean {
  try {
    return reader.session(sessionId) !== null;
  } catch (error) {
    if (error instanceof ZodError) return false;
    throw error;
  }
}
