import type { Push } from '@shared/bridge';
import type { SessionId } from '@shared/ids';
import { backupPath, lastBackup } from '../sessions/backups';
import { staleMark } from '../sessions/stale-backup';
import { DAMAGED, type Trouble } from '../sessions/store-words';
import { isSuspect, oneLine } from '../sessions/suspect';
import type { StoreWorker } from '../sessions/worker/store-worker';

const DAY_MS = 86_400_000;

/** After how long the log is asked to be emptied again, in milliseconds: whoever writes waits for each try. */
const LOG_RETRY_MS = 30_000;

interface CareParts {
  readonly home: string;
  /** The store. */
  readonly file: string;
  readonly worker: StoreWorker;
  /** Whoever had the store open last did not close it. */
  readonly unclean: boolean;
  readonly retentionDays: () => number | null;
  /** Sessions that must stay because somebody runs them. */
  readonly isBusy: (sessionId: SessionId) => boolean;
  readonly send: (push: Push) => void;
  /** Shows how a session stands now. */
  readonly announce: (sessionId: SessionId) => void;
}

/** What of it can fail, in the operator's words. */
const FAILED = {
  care: ['The store could not be looked after', 'Sayso tries again at its next start, and once a day.'],
  backup: ['No new backup could be made', 'The last one stays. Sayso tries again at its next start, and once a day.'],
} as const;

/**
 * Looks after the store in the background: checks it after an unclean end, finishes deletions that were left half done,
 * deletes what a rule of the operator names, and keeps one backup that is not older than a day and holds nothing of what
 * was deleted. A store that is not
 * sound never takes the place of a backup that is. The operator is told of whatever fails.
 */
export class StoreCare {
  readonly #timer: NodeJS.Timeout;
  /** What is wrong now, by what it is of: a page that opens later reads it, too. */
  readonly #troubles = new Map<'damage' | keyof typeof FAILED, Trouble>();
  #log: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(private readonly parts: CareParts) {
    this.#background('care', this.#start());
    this.#timer = setInterval(() => this.#background('care', this.#daily()), DAY_MS);
    this.#timer.unref();
  }

  /** What the operator should know of the store now. */
  get notices(): string[] {
    return [...this.#troubles.values()].map(({ message, remedy }) => `${message} ${remedy}`.trim());
  }

  end(): void {
    this.#ended = true;
    clearInterval(this.#timer);
    clearTimeout(this.#log);
  }

  /** Makes the backup anew and sees to the log: what was deleted must not live on in them. */
  readonly afterDeletion = (): void => {
    this.#background('care', this.#finishDeleting());
    this.#background('backup', this.#backUp());
  };

  async #start(): Promise<void> {
    const { worker, unclean } = this.parts;
    if (unclean) {
      const { verdict } = await worker.ask('check', {});
      if (verdict !== 'ok') return this.#tellDamage(verdict);
    }
    await this.#daily();
  }

  async #finishDeleting(): Promise<void> {
    const { file, worker } = this.parts;
    if (isSuspect(file)) return;
    const { logEmptied } = await worker.ask('finish-deleting', {});
    clearTimeout(this.#log);
    if (logEmptied || this.#ended) return;
    this.#log = setTimeout(() => this.#background('care', this.#finishDeleting()), LOG_RETRY_MS);
    this.#log.unref();
  }

  async #daily(): Promise<void> {
    const { home, file, worker, retentionDays, isBusy, send, announce } = this.parts;
    if (isSuspect(file)) return this.#tellDamage(null);
    await this.#finishDeleting();
    const olderThanDays = retentionDays();
    const old = olderThanDays === null ? [] : (await worker.ask('old', { olderThanDays })).sessionIds;
    const sessionIds = old.filter((id) => !isBusy(id));
    if (sessionIds.length > 0) {
      const { deleted, changed } = await worker.ask('delete', { sessionIds, olderThanDays });
      if (deleted.length > 0) send({ type: 'gone', sessionIds: deleted });
      for (const id of changed) announce(id);
      await this.#finishDeleting();
    }
    const last = await lastBackup(home);
    if (last !== null && Date.now() - last.at <= DAY_MS && staleMark(file) === null) return;
    this.#background('backup', this.#backUp());
  }

  async #backUp(): Promise<void> {
    const { home, file, worker } = this.parts;
    if (isSuspect(file)) return this.#tellDamage(null);
    await worker.ask('backup', { path: backupPath(home) });
    this.#troubles.delete('backup');
  }

  /** @param found what is wrong, where that was just found */
  #tellDamage(found: string | null): void {
    const message = found === null ? DAMAGED.message : `The store is damaged: ${oneLine(found)}.`;
    const unmarked =
      'Quit Sayso, keep a copy of the data folder, and go on with a backup: nothing can be written there.';
    this.#tell('damage', { message, remedy: isSuspect(this.parts.file) ? DAMAGED.remedy : unmarked });
  }

  #tell(what: 'damage' | keyof typeof FAILED, trouble: Trouble): void {
    this.#troubles.set(what, trouble);
    this.parts.send({ type: 'trouble', ...trouble });
  }

  #background(what: keyof typeof FAILED, work: Promise<void>): void {
    work.catch((error: unknown) => {
      // Whoever closes the store ends what was in hand.
      if (this.#ended) return;
      console.error(`${FAILED[what][0]}:`, error);
      const why = error instanceof Error ? error.message : String(error);
      if (isSuspect(this.parts.file)) this.#tellDamage(why);
      else this.#tell(what, { message: `${FAILED[what][0]}: ${oneLine(why)}`, remedy: FAILED[what][1] });
    });
  }
}
