import type { Push } from '@shared/bridge';
import type { SessionId } from '@shared/ids';
import { backupPath, lastBackup } from '../sessions/backups';
import type { StoreWorker } from '../sessions/worker/store-worker';

const DAY_MS = 86_400_000;

interface CareParts {
  readonly home: string;
  readonly worker: StoreWorker;
  /** Whoever had the store open last did not close it. */
  readonly unclean: boolean;
  readonly retentionDays: () => number | null;
  /** Sessions that must stay because somebody runs them. */
  readonly isBusy: (sessionId: SessionId) => boolean;
  readonly send: (push: Push) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Looks after the store in the background: checks it after an unclean end, finishes deletions that a kill left half done,
 * deletes what a rule of the operator names, and keeps one backup that is not older than a day. A store that is not
 * sound never takes the place of a backup that is.
 */
export class StoreCare {
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly parts: CareParts) {
    this.#background(this.#start());
    this.#timer = setInterval(() => this.#background(this.#daily()), DAY_MS);
    this.#timer.unref();
  }

  end(): void {
    clearInterval(this.#timer);
  }

  /** Makes the backup anew: what was deleted must not live on in it. */
  readonly afterDeletion = (): void => {
    this.#background(this.#backUp());
  };

  async #start(): Promise<void> {
    const { worker, unclean, send } = this.parts;
    if (unclean) {
      const { verdict } = await worker.ask('check', {});
      if (verdict !== 'ok') {
        send({
          type: 'trouble',
          message: `The store is damaged: ${verdict}`,
          remedy: 'Quit Sayso, keep a copy of the data folder, and go on with a backup. No new backup is made of it.',
        });
        return;
      }
    }
    await worker.ask('finish-deleting', {});
    await this.#daily();
  }

  async #daily(): Promise<void> {
    const { home, worker, retentionDays, isBusy, send } = this.parts;
    const olderThanDays = retentionDays();
    const old = olderThanDays === null ? [] : (await worker.ask('old', { olderThanDays })).sessionIds;
    const sessionIds = old.filter((id) => !isBusy(id));
    if (sessionIds.length > 0) {
      await worker.ask('delete', { sessionIds });
      send({ type: 'gone', sessionIds });
    }
    const last = await lastBackup(home);
    if (sessionIds.length > 0 || last === null || Date.now() - last.at > DAY_MS) await this.#backUp();
  }

  async #backUp(): Promise<void> {
    const { home, worker } = this.parts;
    await worker.ask('backup', { path: backupPath(home) });
  }

  #background(work: Promise<void>): void {
    work.catch(this.parts.onError);
  }
}
