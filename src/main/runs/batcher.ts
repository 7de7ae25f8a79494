/**
 * Collects pieces that come many times a second and hands them on together, at most `intervalMs` after the first. One
 * journal write and one frame then serve them all. What goes wrong in handing on is kept for the next `flush` of the
 * owner: out of a timer it would reach nobody but the whole app.
 */
export class Batcher<T> {
  #pieces: T[] = [];
  #timer: NodeJS.Timeout | undefined;
  #failure: { readonly error: unknown } | null = null;

  constructor(
    private readonly intervalMs: number,
    private readonly flushed: (pieces: readonly T[]) => void,
  ) {}

  add(piece: T): void {
    if (this.#failure !== null) return;
    this.#pieces.push(piece);
    this.#timer ??= setTimeout(() => this.#handOn(), this.intervalMs);
  }

  /**
   * Hands on what is there, now.
   * @throws whatever went wrong in handing on, now or before; nothing is handed on after that
   */
  flush(): void {
    this.#handOn();
    if (this.#failure !== null) throw this.#failure.error;
  }

  #handOn(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pieces.length === 0) return;
    const pieces = this.#pieces;
    this.#pieces = [];
    try {
      this.flushed(pieces);
    } catch (error) {
      this.#failure = { error };
    }
  }

  /** Forgets what is there. */
  discard(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pieces = [];
  }
}
