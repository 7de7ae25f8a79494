import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildApp } from '../app-build.mjs';
import { INTERRUPTED, runHere } from '../child.mjs';
import { MODULES, PROJECT } from '../setup/paths.mjs';
import { countPlaywright, countVitest, countWhole, withRunnerVerdict } from './counts.mjs';

/**
 * @typedef {import('./counts.mjs').Counts} Counts
 * @typedef {{ counts: Counts, interrupted: boolean }} Outcome
 */

const REPORTS = join(PROJECT, 'test-results');

/**
 * Runs a package's command under this Node.
 * @param {string} script relative to node_modules
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
function runTool(script, args, env) {
  return runHere(process.execPath, [join(MODULES, script), ...args], env);
}

/**
 * @param {string} file
 * @param {(report: any) => Counts} count
 * @returns {Counts} nothing passed where there is no report
 */
function readCounts(file, count) {
  try {
    return count(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return { passed: 0, failed: 0 };
  }
}

/** @returns {Promise<Outcome>} */
async function lint() {
  const { code, interrupted } = await runTool('@biomejs/biome/bin/biome', ['check', '--error-on-warnings']);
  return { counts: countWhole(code), interrupted };
}

/** @returns {Promise<Outcome>} */
async function typecheck() {
  let worst = 0;
  for (const project of ['tsconfig.node.json', 'tsconfig.web.json', 'tsconfig.e2e.json']) {
    const { code, interrupted } = await runTool('typescript/bin/tsc', ['-p', project]);
    if (interrupted) return { counts: countWhole(code), interrupted };
    worst = Math.max(worst, code);
  }
  return { counts: countWhole(worst), interrupted: false };
}

/**
 * @param {string[]} more arguments for the runner: which tests
 * @returns {Promise<Outcome>}
 */
async function unit(more) {
  const report = join(REPORTS, 'unit.json');
  rmSync(report, { force: true });
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...more];
  const { code, interrupted } = await runTool('vitest/vitest.mjs', args);
  return { counts: withRunnerVerdict(readCounts(report, countVitest), code), interrupted };
}

/** @returns {Promise<Outcome>} */
async function build() {
  const code = await buildApp();
  return { counts: countWhole(code), interrupted: code === INTERRUPTED };
}

/**
 * @param {string[]} more arguments for the runner: which tests
 * @returns {Promise<Outcome>}
 */
async function e2e(more) {
  const report = join(REPORTS, 'e2e.json');
  rmSync(report, { force: true });
  const env = { PLAYWRIGHT_JSON_OUTPUT_FILE: report };
  const { code, interrupted } = await runTool(
    '@playwright/test/cli.js',
    ['test', '--reporter=list,json', ...more],
    env,
  );
  return { counts: withRunnerVerdict(readCounts(report, countPlaywright), code), interrupted };
}

/**
 * In the order in which a mistake is cheapest to find.
 * @type {Record<string, (more: string[]) => Promise<Outcome>>}
 */
export const CHECKS = { lint, typecheck, unit, build, e2e };
