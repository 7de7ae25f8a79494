import type { CallId, SessionId } from '@shared/ids';

/** As much as the result of a command keeps at its end. */
const KEPT_LENGTH = 65_536;

/**
 * The output of commands that run right now as it really is, for the operator's eyes only. It is never written anywhere,
 * and is gone when the command ends.
 */
export class LiveOriginals {
  readonly #texts = new Map<string, string>();

  add(sessionId: SessionId, callId: CallId, text: string): void {
    const key = keyOf(sessionId, callId);
    this.#texts.set(key, `${this.#texts.get(key) ?? ''}${text}`.slice(-KEPT_LENGTH));
  }

  /** The end of what the running command has printed; null where none of that id runs. */
  read(sessionId: SessionId, callId: CallId): string | null {
    return this.#texts.get(keyOf(sessionId, callId)) ?? null;
  }

  forget(sessionId: SessionId, callId: CallId): void {
    this.#texts.delete(keyOf(sessionId, callId));
  }
}

function keyOf(sessionId: SessionId, callId: CallId): string {
  return `${sessionId} ${callId}`;
}
