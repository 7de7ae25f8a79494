import type { SessionId } from '@shared/ids';
import type { Inbox } from '../approvals/inbox';
import type { Journal } from '../sessions/journal';
import type { SessionReader } from '../sessions/reader';

/**
 * Ends on record what a crash left open: its requests are interrupted, and so are its runs. No decision is recorded and
 * nothing runs; the sessions can be resumed. For the start of the app, before any run, of all sessions that no other
 * living process runs; and for a session that was brought in from elsewhere.
 * @returns how many runs there were
 */
export function recoverInterrupted(
  reader: SessionReader,
  journal: Journal,
  inbox: Inbox,
  concerns: (sessionId: SessionId) => boolean = () => true,
  reason = 'the app ended unexpectedly',
): number {
  inbox.settleLeftovers(concerns);
  const runs = reader.unendedRuns().filter(({ sessionId }) => concerns(sessionId));
  for (const run of runs) journal.append(run, [{ type: 'run_ended', state: 'interrupted', reason }], 'durable');
  return runs.length;
}
