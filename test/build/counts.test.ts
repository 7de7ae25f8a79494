import { expect, test } from 'vitest';
import { countPlaywright, countVitest, total, withRunnerVerdict } from '../../build/checks/counts.mjs';

test('a test file that could not be loaded is one failure', () => {
  const report = {
    numPassedTests: 3,
    numFailedTests: 1,
    testResults: [
      { status: 'failed', assertionResults: [{ status: 'passed' }, { status: 'failed' }] },
      { status: 'failed', assertionResults: [] },
      { status: 'passed', assertionResults: [{ status: 'passed' }, { status: 'passed' }] },
    ],
  };
  expect(countVitest(report)).toEqual({ passed: 3, failed: 2 });
});

test('a flaky test is a failed one', () => {
  expect(countPlaywright({ stats: { expected: 4, unexpected: 1, flaky: 2, skipped: 0 } })).toEqual({
    passed: 4,
    failed: 3,
  });
});

test.each([
  ['all passed', { passed: 5, failed: 0 }, 0, 0],
  ['tests failed', { passed: 5, failed: 2 }, 1, 2],
  ['the runner failed without a failed test', { passed: 5, failed: 0 }, 1, 1],
  ['no test ran', { passed: 0, failed: 0 }, 0, 1],
])('when %s', (_situation, counts, exitCode, failed) => {
  expect(withRunnerVerdict(counts, exitCode).failed).toBe(failed);
});

test('the verdict adds all up', () => {
  expect(
    total([
      { passed: 1, failed: 0 },
      { passed: 2, failed: 3 },
    ]),
  ).toEqual({ passed: 3, failed: 3 });
});
