import { writeSync } from 'node:fs';

/**
 * Where a drilled process is to kill itself, named by what it is just doing: `append:12:inside`. Every place that it
 * passes is counted, so that a run without a kill tells which places there are.
 */
export class KillPoints {
  readonly #counts = new Map<string, number>();

  constructor(private readonly target: string | null) {}

  /** One more of a kind of thing begins; its number. */
  begin(kind: string): number {
    const number = this.#counts.get(kind) ?? 0;
    this.#counts.set(kind, number + 1);
    return number;
  }

  /** Ends this process as kill -9 does, if this is the place. */
  pass(place: string): void {
    if (place === this.target) process.kill(process.pid, 'SIGKILL');
  }

  counts(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }
}

/** A line to whoever drills this process, out of the process before this returns: what was acknowledged stays so. */
export function tell(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}
