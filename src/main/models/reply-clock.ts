import { BrokenStream } from './anthropic-assembly';
import { ModelError } from './model';

/**
 * Bounds one attempt: from the moment the request goes out, whatever happens. An attempt in which nothing came for the
 * second half of its time has stalled and is worth another; one that was still coming was too long, and would be again.
 */
export class ReplyClock {
  readonly #timeoutMs: number;
  readonly #outer: AbortSignal;
  readonly #controller = new AbortController();
  readonly #forward: () => void;
  #timer: NodeJS.Timeout | undefined;
  #lastSign = 0;
  #verdict: Error | null = null;

  /** @param outer ends the attempt too: the run was stopped */
  constructor(timeoutMs: number, outer: AbortSignal) {
    this.#timeoutMs = timeoutMs;
    this.#outer = outer;
    this.#forward = () => this.#controller.abort();
    outer.addEventListener('abort', this.#forward, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What ended the attempt, if the clock did. */
  verdict(): Error | null {
    return this.#verdict;
  }

  start(): void {
    this.pause();
    this.touch();
    this.#timer = setTimeout(() => this.#expire(), this.#timeoutMs);
  }

  /** The clock does not run while the SDK waits to ask again. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  touch(): void {
    this.#lastSign = performance.now();
  }

  stop(): void {
    this.pause();
    this.#outer.removeEventListener('abort', this.#forward);
  }

  #expire(): void {
    const seconds = this.#timeoutMs / 1_000;
    const stalled = performance.now() - this.#lastSign >= this.#timeoutMs / 2;
    this.#verdict = stalled
      ? new BrokenStream(`nothing more came within ${seconds} s`)
      : new ModelError(`the reply took longer than ${seconds} s: raise limits.callTimeout`);
    this.#controller.abort();
  }
}
