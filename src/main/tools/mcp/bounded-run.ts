import { Script } from 'node:vm';

const RUN = new Script('work()', { filename: 'bounded-run' });

/** How often work is begun again that was ended without having had its time, on a machine that is busy with others. */
const MAX_TRIES = 5;

/**
 * Runs work that data of a stranger can make very slow, such as a regular expression or a schema of theirs, in this
 * thread, and ends it when its time is over, wherever it is: also in the midst of a match.
 * @param work may be run more than once
 * @returns null when it was ended.
 * @throws whatever the work throws
 */
export function boundedRun<T>(timeoutMs: number, work: () => T): { readonly value: T } | null {
  for (let tries = 1; ; tries++) {
    const before = process.cpuUsage();
    const done = runOnce(timeoutMs, work);
    if (done !== null || tries === MAX_TRIES) return done;
    const { user, system } = process.cpuUsage(before);
    if (user + system > (timeoutMs * 1_000) / 2) return null;
  }
}

function runOnce<T>(timeoutMs: number, work: () => T): { readonly value: T } | null {
  let value: { readonly value: T } | null = null;
  try {
    const run = () => {
      value = { value: work() };
    };
    RUN.runInNewContext({ work: run }, { timeout: timeoutMs });
  } catch (error) {
    // It comes from the context, so it is no Error of this one.
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      return null;
    throw error;
  }
  return value;
}
