/**
 * @typedef {{ passed: number, failed: number }} Counts
 */

/**
 * Vitest's JSON report. A file that could not be loaded has no tests to count, and counts as one failure.
 * @param {any} report
 * @returns {Counts}
 */
export function countVitest(report) {
  const broken = report.testResults.filter(
    (/** @type {any} */ file) =>
      file.status === 'failed' && !file.assertionResults.some((/** @type {any} */ test) => test.status === 'failed'),
  );
  return { passed: report.numPassedTests, failed: report.numFailedTests + broken.length };
}

/**
 * Playwright's JSON report. Flaky is failed: a test that passes only now and then proves nothing.
 * @param {any} report
 * @returns {Counts}
 */
export function countPlaywright(report) {
  const { expected, unexpected, flaky } = report.stats;
  return { passed: expected, failed: unexpected + flaky };
}

/**
 * A runner that fails without a failed test, or that ran no test at all, is itself a failure.
 * @param {Counts} counts
 * @param {number} exitCode
 * @returns {Counts}
 */
export function withRunnerVerdict({ passed, failed }, exitCode) {
  const isSuspect = failed === 0 && (exitCode !== 0 || passed === 0);
  return { passed, failed: isSuspect ? 1 : failed };
}

/**
 * A check without tests inside counts as one.
 * @param {number} exitCode
 * @returns {Counts}
 */
export function countWhole(exitCode) {
  return exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** @param {Counts[]} all */
export function total(all) {
  return all.reduce((sum, one) => ({ passed: sum.passed + one.passed, failed: sum.failed + one.failed }), {
    passed: 0,
    failed: 0,
  });
}
