import { SessionProblem } from '../problem';
import { type Progress, type StoreInput, StoreReply, type StoreRequest, type StoreRequestType } from './requests';
import { WorkerThread } from './worker-thread';

/** What somebody waits for as they type or look. All else may take seconds, in which its thread answers nothing. */
const AT_ONCE: ReadonlySet<StoreRequestType> = new Set(['list', 'search', 'run-sandbox']);

/**
 * Does in other threads what may take long: in one what is looked for, in another one all else, so that a search is
 * answered while the store is checked or added up. Each is started by its first request.
 */
export class StoreWorker {
  readonly #quick: WorkerThread;
  readonly #long: WorkerThread;
  #closed = false;

  /**
   * @param script the built file of the worker's entry
   * @param file the store
   */
  constructor(script: string, file: string) {
    this.#quick = new WorkerThread(script, file);
    this.#long = new WorkerThread(script, file);
  }

  /** @throws SessionProblem for what is not to be done, Error for what went wrong */
  async ask<T extends StoreRequestType>(
    type: T,
    input: StoreInput<T>,
    report?: (progress: Progress) => void,
  ): Promise<StoreReply<T>> {
    if (this.#closed) throw new SessionProblem('refused', 'Sayso is closing.');
    const thread = AT_ONCE.has(type) ? this.#quick : this.#long;
    const value = await thread.ask({ type, ...input } as unknown as StoreRequest, report);
    return StoreReply[type].parse(value) as StoreReply<T>;
  }

  /** Ends the threads; what they had in hand is rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#quick.close(), this.#long.close()]);
  }
}
