/**
 * Collects pieces that come many times a second and hands them on together, at most `intervalMs` after the first. One
 * journal write and one frame then serve them all.
 */
export class Batcher<T> {
  #pieces: T[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly intervalMs: number,
    private readonly flushed: (pieces: readonly T[]) => void,
  ) {}

  add(piece: T): void {
    this.#pieces.push(piece);
    this.#timer ??= setTimeout(() => this.flush(), this.intervalMs);
  }

  /** Hands on what is there, now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pieces.length === 0) return;
    const pieces = this.#pieces;
    this.#pieces = [];
    this.flushed(pieces);
  }

  /** Forgets what is there. */
  discard(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pieces = [];
  }
}
