import type { Readable } from 'node:stream';

/** Silence after which an output that nobody should hold any more counts as over, in milliseconds. */
const QUIET_MS = 150;
/** The longest that someone who still holds the output can delay a result, in milliseconds. */
const LONGEST_MS = 1_000;

/**
 * Waits for what is still on its way in the stream: until its end, or until it was quiet for QUIET_MS, but no longer
 * than LONGEST_MS. The stream's `close` alone is no measure: a process that inherited the output can hold it for hours.
 */
export function drained(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    const began = Date.now();
    let quietSince = began;
    let timer: NodeJS.Timeout;
    const done = (): void => {
      clearTimeout(timer);
      stream.off('data', onData).off('close', done).off('end', done).off('error', done);
      resolve();
    };
    const onData = (): void => {
      quietSince = Date.now();
    };
    // A timer that is late fires before the data that waits is read: look again after the reading.
    const check = (): void => {
      setImmediate(() => {
        const now = Date.now();
        const left = Math.min(quietSince + QUIET_MS, began + LONGEST_MS) - now;
        if (left <= 0) done();
        else timer = setTimeout(check, left);
      });
    };
    timer = setTimeout(check, QUIET_MS);
    stream.on('data', onData).once('close', done).once('end', done).once('error', done);
    if (stream.destroyed || stream.readableEnded) done();
  });
}
