import type { SessionId } from '@shared/ids';
import type { Holders } from './holders';

/** Between two looks at whether another process still runs what it ran, in milliseconds. */
const LOOK_MS = 1_000;

interface ForeignRunsParts {
  readonly holders: Holders;
  /** Ends on record what a session's run left open, if it was left, and shows how it stands now. */
  readonly settle: (sessionId: SessionId) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Sessions that another process of the app was seen to run. Nobody tells when it lets go of one, or ends without a word:
 * so it is looked for, as long as there are any, and the session is then put right as at a start.
 */
export class ForeignRuns {
  readonly #watched = new Set<SessionId>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly parts: ForeignRunsParts) {}

  watch(sessionIds: Iterable<SessionId>): void {
    for (const id of sessionIds) this.#watched.add(id);
    this.#wait();
  }

  close(): void {
    this.#watched.clear();
    clearTimeout(this.#timer);
  }

  #wait(): void {
    if (this.#watched.size === 0 || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#look()
        .catch(this.parts.onError)
        .finally(() => {
          this.#timer = undefined;
          this.#wait();
        });
    }, LOOK_MS);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const { holders, settle } = this.parts;
    const held = await holders.heldByOthers();
    for (const id of [...this.#watched]) {
      if (held.has(id)) continue;
      this.#watched.delete(id);
      // Somebody may have taken it meanwhile.
      if (!holders.isHeldByOther(id)) settle(id);
    }
  }
}
