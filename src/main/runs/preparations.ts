import type { SessionId } from '@shared/ids';
import { Refusal } from './refusal';

/** Sessions whose next run is being prepared: a second click must not start a second run, and a stop is heard. */
export class Preparations {
  readonly #stops = new Map<SessionId, AbortController>();

  has(sessionId: SessionId): boolean {
    return this.#stops.has(sessionId);
  }

  /**
   * Does what leads to a run.
   * @param work starts nothing any more once its signal is aborted
   * @throws Refusal when it was stopped meanwhile, whatever else came of it; whatever `work` throws
   */
  async during(sessionId: SessionId, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.has(sessionId)) throw new Refusal('conflict', 'This session is running already.');
    const stop = new AbortController();
    this.#stops.set(sessionId, stop);
    try {
      await work(stop.signal);
    } catch (error) {
      stop.signal.throwIfAborted();
      throw error;
    } finally {
      this.#stops.delete(sessionId);
    }
  }

  /** Ends what is being prepared; false where nothing is. */
  stop(sessionId: SessionId): boolean {
    const stop = this.#stops.get(sessionId);
    stop?.abort(new Refusal('refused', 'It was stopped before it went on. Nothing was started.'));
    return stop !== undefined;
  }
}
