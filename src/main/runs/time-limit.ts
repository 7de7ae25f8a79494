/** A limit on working time that stands still while the operator is being waited for. */
export class TimeLimit {
  #left: number;
  #since = 0;
  #pauses = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param ms how long before `reached` is called */
  constructor(
    ms: number,
    private readonly reached: () => void,
  ) {
    this.#left = ms;
    this.#go();
  }

  /** Stands still until the promise settles; pauses may overlap. */
  async during<T>(waiting: Promise<T>): Promise<T> {
    if (this.#pauses === 0) {
      clearTimeout(this.#timer);
      this.#left -= performance.now() - this.#since;
    }
    this.#pauses += 1;
    try {
      return await waiting;
    } finally {
      this.#pauses -= 1;
      if (this.#pauses === 0 && this.#left !== Number.POSITIVE_INFINITY) this.#go();
    }
  }

  /** Ends the limit: it is never reached after this. */
  end(): void {
    this.#left = Number.POSITIVE_INFINITY;
    clearTimeout(this.#timer);
  }

  #go(): void {
    this.#since = performance.now();
    this.#timer = setTimeout(this.reached, Math.max(0, this.#left));
  }
}
