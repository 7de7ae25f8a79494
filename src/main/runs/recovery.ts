import type { Inbox } from '../approvals/inbox';
import type { Journal } from '../sessions/journal';
import type { SessionReader } from '../sessions/reader';

/**
 * Ends on record what a crash left open: its requests are interrupted, and so are its runs. No decision is recorded and
 * nothing runs; the sessions can be resumed. For the start of the app, before any run.
 * @returns how many runs there were
 */
export function recoverInterrupted(reader: SessionReader, journal: Journal, inbox: Inbox): number {
  inbox.settleLeftovers();
  const runs = reader.unendedRuns();
  for (const run of runs) {
    journal.append(run, [{ type: 'run_ended', state: 'interrupted', reason: 'the app ended unexpectedly' }], 'durable');
  }
  return runs.length;
}
