/** Makes backups one after the other, whoever asks: two at once would each copy, and neither the sooner. */
export class BackupQueue {
  #last: Promise<unknown> = Promise.resolve();
  /** Those that have not begun, by where they go. */
  readonly #waiting = new Map<string, Promise<void>>();

  /** @param make is begun when it is its turn; whoever asks for the same place until then gets the same one */
  add(path: string, make: () => Promise<void>): Promise<void> {
    const waiting = this.#waiting.get(path);
    if (waiting !== undefined) return waiting;
    const made = this.#last.then(() => {
      this.#waiting.delete(path);
      return make();
    });
    this.#waiting.set(path, made);
    this.#last = made.catch(() => {});
    return made;
  }
}
