import { Worker } from 'node:worker_threads';
import { SessionProblem } from '../problem';
import { FromWorker, type Progress, type StoreRequest } from './requests';

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly report: ((progress: Progress) => void) | undefined;
}

/** One thread over the store. If it dies, whatever it had in hand is rejected, and the next request starts another one. */
export class WorkerThread {
  #worker: Worker | null = null;
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
  ask(request: StoreRequest, report?: (progress: Progress) => void): Promise<unknown> {
    const worker = this.#running();
    const id = this.#next++;
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, report });
      worker.postMessage({ id, request });
    });
  }

  /** Ends the thread; what it had in hand is rejected. */
  async close(): Promise<void> {
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
