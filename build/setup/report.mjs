/** A failed step: what went wrong, and what the person can do about it. */
export class SetupError extends Error {
  /**
   * @param {string} reason
   * @param {string} remedy
   */
  constructor(reason, remedy) {
    super(reason);
    this.remedy = remedy;
  }
}

/**
 * Says what a step does. Standard error, because electron-path's standard output is the path and nothing else.
 * @param {string} text
 */
export function say(text) {
  process.stderr.write(`[setup] ${text}\n`);
}

/**
 * Runs a script's main function; a failure ends it with the reason and the remedy, without a stack trace.
 * @param {() => Promise<number>} main resolves to the exit code
 */
export async function runScript(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`\n[setup] FAILED: ${error.message}\n[setup] What to do: ${error.remedy}\n`);
    process.exitCode = 1;
  }
}
