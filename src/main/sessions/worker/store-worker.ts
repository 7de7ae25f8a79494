import { Worker } from 'node:worker_threads';
import { SessionProblem } from '../problem';
import { FromWorker, type Progress, type StoreInput, StoreReply, type StoreRequestType } from './requests';

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly report: ((progress: Progress) => void) | undefined;
}

/**
 * Does in another thread what may take long. The thread is started by the first request; if it dies, whatever it had in
 * hand is rejected, and the next request starts another one.
 */
export class StoreWorker {
  #worker: Worker | null = null;
  #closed = false;
  #next = 1;
  readonly #waiting = new Map<number, Waiting>();

  /**
   * @param script the built file of the worker's entry
   * @param file the store
   */
  constructor(
    private readonly script: string,
    private readonly file: string,
  ) {}

  /** @throws SessionProblem for what is not to be done, Error for what went wrong */
  async ask<T extends StoreRequestType>(
    type: T,
    input: StoreInput<T>,
    report?: (progress: Progress) => void,
  ): Promise<StoreReply<T>> {
    if (this.#closed) throw new SessionProblem('refused', 'Sayso is closing.');
    const worker = this.#running();
    const id = this.#next++;
    const value = await new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, report });
      worker.postMessage({ id, request: { type, ...input } });
    });
    return StoreReply[type].parse(value) as StoreReply<T>;
  }

  /** Ends the thread; what it had in hand is rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
  }

  #running(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = new Worker(this.script, { workerData: { file: this.file } });
    this.#worker = worker;
    // It must not keep the app from ending.
    worker.unref();
    worker.on('message', (message: unknown) => this.#received(FromWorker.parse(message)));
    let reason = new Error('The part of Sayso that reads the store has ended.');
    worker.on('error', (error) => {
      reason = error;
    });
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = null;
      const waiting = [...this.#waiting.values()];
      this.#waiting.clear();
      for (const { reject } of waiting) reject(reason);
    });
    return worker;
  }

  #received(message: FromWorker): void {
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) return;
    if (message.kind === 'progress') {
      waiting.report?.(message.progress);
      return;
    }
    this.#waiting.delete(message.id);
    if (message.kind === 'done') {
      waiting.resolve(message.value);
      return;
    }
    const { code, message: text, remedy } = message;
    waiting.reject(code === null ? new Error(text) : new SessionProblem(code, text, remedy));
  }
}
