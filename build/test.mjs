// Runs every check, or those that are named, each whatever became of the one before. The last line is the verdict.

import { total } from './checks/counts.mjs';
import { CHECKS } from './checks/index.mjs';
import { INTERRUPTED } from './child.mjs';
import { startDisplay } from './setup/display.mjs';
import { setUp } from './setup/index.mjs';
import { runScript, SetupError } from './setup/report.mjs';

/** @param {string[]} wanted */
function selectChecks(wanted) {
  const unknown = wanted.find((name) => !Object.hasOwn(CHECKS, name));
  if (unknown !== undefined) {
    throw new SetupError(`There is no check named ${unknown}.`, `choose among ${Object.keys(CHECKS).join(', ')}.`);
  }
  return Object.entries(CHECKS).filter(([name]) => wanted.length === 0 || wanted.includes(name));
}

/** @param {string} text */
function heading(text) {
  process.stdout.write(`\n=== ${text}\n`);
}

/**
 * @param {ReturnType<typeof selectChecks>} checks
 * @returns {Promise<number>} exit code
 */
async function runChecks(checks) {
  const lines = [];
  const counts = [];
  for (const [name, run] of checks) {
    heading(name);
    const started = Date.now();
    const outcome = await run();
    if (outcome.interrupted) return INTERRUPTED;
    counts.push(outcome.counts);
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    lines.push(`${name.padEnd(10)} ${outcome.counts.passed} passed, ${outcome.counts.failed} failed (${seconds} s)`);
  }
  const { passed, failed } = total(counts);
  heading(`summary\n${lines.join('\n')}\n`);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

await runScript(async () => {
  const checks = selectChecks(process.argv.slice(2));
  // The end-to-end tests start the app with it.
  process.env.SAYSO_ELECTRON = await setUp();
  const display = await startDisplay();
  try {
    return await runChecks(checks);
  } finally {
    await display.stop();
  }
});
