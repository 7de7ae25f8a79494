/** The app is closing: the run unwinds and leaves its open call as it is, to be asked again on resume. */
export class RunInterrupted extends Error {
  override readonly name = 'RunInterrupted';
}

/** The operator ended the run. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped';
}

/** @throws RunInterrupted when the app is closing; a stop is not thrown, because it has a denial of its own */
export function throwIfInterrupted(signal: AbortSignal): void {
  if (signal.aborted && signal.reason instanceof RunInterrupted) throw signal.reason;
}
