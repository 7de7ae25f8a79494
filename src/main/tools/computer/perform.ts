import { inFileLane } from '../file-lane';
import { ToolError, type ToolIo, type ToolOutput, Unanswered } from '../tool';

/** How long a call that was stopped has to come to an end by itself, in milliseconds. */
const GRACE_MS = 2_000;

/**
 * Runs what a call does with files: its text is the result, and what goes wrong is an error result. Throws only when the
 * call was stopped. It then gets a moment to end by itself; what hangs in the system cannot, and is left to itself.
 */
export async function perform(io: ToolIo, work: () => Promise<string>): Promise<ToolOutput> {
  io.signal.throwIfAborted();
  const working = inFileLane(async () => {
    io.signal.throwIfAborted();
    return outcome(io, work);
  });
  return Promise.race([working, graceAfter(io.signal, working)]);
}

async function outcome(io: ToolIo, work: () => Promise<string>): Promise<ToolOutput> {
  try {
    return { content: await work(), isError: false };
  } catch (error) {
    io.signal.throwIfAborted();
    if (error instanceof ToolError) return { content: error.message, isError: true };
    return { content: `It failed: ${error instanceof Error ? error.message : String(error)}`, isError: true };
  }
}

/** Rejects a while after the signal, unless the work has ended; never resolves. */
function graceAfter(signal: AbortSignal, working: Promise<unknown>): Promise<never> {
  return new Promise((_, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      timer = setTimeout(() => reject(new Unanswered()), GRACE_MS);
    };
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    working.then(over, over);
  });
}
