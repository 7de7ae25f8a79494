import type { Push } from '@shared/bridge';
import type { SessionId } from '@shared/ids';
import type { StoreWorker } from '../sessions/worker/store-worker';

const DAY_MS = 86_400_000;

interface CareParts {
  readonly worker: StoreWorker;
  readonly retentionDays: () => number | null;
  /** Sessions that must stay because somebody runs them. */
  readonly isBusy: (sessionId: SessionId) => boolean;
  readonly send: (push: Push) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Looks after the store in the background: finishes deletions that a kill left half done and, where the operator has set
 * a rule, deletes what it names, at the start and once a day.
 */
export function careForStore({ worker, retentionDays, isBusy, send, onError }: CareParts): () => void {
  const care = async () => {
    await worker.ask('finish-deleting', {});
    const olderThanDays = retentionDays();
    if (olderThanDays === null) return;
    const old = await worker.ask('old', { olderThanDays });
    const sessionIds = old.sessionIds.filter((id) => !isBusy(id));
    if (sessionIds.length === 0) return;
    await worker.ask('delete', { sessionIds });
    send({ type: 'gone', sessionIds });
  };
  const run = () => void care().catch(onError);
  run();
  const timer = setInterval(run, DAY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
