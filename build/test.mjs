// Runs every check, or those that are named, each whatever became of the one before. The last line is the verdict.
// What follows -- goes to the test runners: node build/test.mjs build e2e -- inbox.spec.ts

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

/** @param {string[]} args */
function splitArguments(args) {
  const end = args.indexOf('--');
  return end < 0 ? { names: args, more: [] } : { names: args.slice(0, end), more: args.slice(end + 1) };
}

/**
 * @param {ReturnType<typeof selectChecks>} checks
 * @param {string[]} more
 * @returns {Promise<number>} exit code
 */
async function runChecks(checks, more) {
  const lines = [];
  const counts = [];
  for (const [name, run] of checks) {
    heading(name);
    const started = Date.now();
    const outcome = await run(more);
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
  const { names, more } = splitArguments(process.argv.slice(2));
  const checks = selectChecks(names);
  // The end-to-end tests start the app with it.
  process.env.SAYSO_ELECTRON = await setUp();
  const display = await startDisplay();
  try {
    return await runChecks(checks, more);
  } finally {
    await display.stop();
  }
});
