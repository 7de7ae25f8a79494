import type { SessionId } from '@shared/ids';
import type { Inbox } from '../approvals/inbox';
import type { Journal } from '../sessions/journal';
import type { SessionReader } from '../sessions/reader';
import type { Holders } from './holders';
import { recoverInterrupted } from './recovery';

/** How long after a write that failed the next one is tried. */
const RETRY_MS = 2_000;

interface LateEndParts {
  readonly journal: Journal;
  readonly reader: SessionReader;
  readonly inbox: Inbox;
  readonly holders: Holders;
}

/**
 * Runs that are over and could not say so, because the store could not be written: their sessions would look as if they
 * were still at work, and their requests as if they were still open. Puts that right as soon as the store takes it.
 */
export class LateEnds {
  readonly #sessions = new Set<SessionId>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly parts: LateEndParts) {}

  add(sessionId: SessionId): void {
    this.#sessions.add(sessionId);
    this.#timer ??= this.#later();
  }

  has(sessionId: SessionId): boolean {
    return this.#sessions.has(sessionId);
  }

  /** The next start does the same for what is left. */
  close(): void {
    clearTimeout(this.#timer);
  }

  #retry(): void {
    const { reader, journal, inbox, holders } = this.parts;
    this.#timer = undefined;
    for (const sessionId of [...this.#sessions]) {
      try {
        recoverInterrupted(reader, journal, inbox, (id) => id === sessionId, 'the store could not be written');
        holders.release(sessionId);
        this.#sessions.delete(sessionId);
      } catch {
        // It is told already, and tried again.
        this.#timer ??= this.#later();
      }
    }
  }

  #later(): NodeJS.Timeout {
    const timer = setTimeout(() => this.#retry(), RETRY_MS);
    timer.unref();
    return timer;
  }
}
