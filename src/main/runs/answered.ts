/** How long a look may go on when the run has ended, in milliseconds: mostly it ends by itself at once. */
const STOP_MS = 2_000;

/** What comes in time. Null where the time is over, or the run, and it has not come: it may never do. */
export async function answered<T>(work: Promise<T>, timeoutMs: number, run?: AbortSignal): Promise<T | null> {
  const timers: NodeJS.Timeout[] = [];
  let giveUp = (): void => undefined;
  const over = new Promise<null>((resolve) => {
    giveUp = () => resolve(null);
  });
  const onEnd = (): void => {
    timers.push(setTimeout(giveUp, STOP_MS));
  };
  timers.push(setTimeout(giveUp, timeoutMs));
  if (run?.aborted === true) onEnd();
  run?.addEventListener('abort', onEnd, { once: true });
  try {
    return await Promise.race([work, over]);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    run?.removeEventListener('abort', onEnd);
  }
}
