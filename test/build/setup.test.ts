import { describe, expect, test } from 'vitest';
import { matchesLockfile } from '../../build/setup/dependencies.mjs';
import { isNodeNewEnough } from '../../build/setup/node-version.mjs';
import { reasonIn } from '../../build/setup/run.mjs';
import { missingLibraries } from '../../build/setup/system-check.mjs';
import { missingGroups } from '../../build/setup/system-packages.mjs';

test.each([
  ['20.19.0', true],
  ['20.18.3', false],
  ['18.20.0', false],
  ['22.0.0', true],
])('Node.js %s is new enough: %s', (version, expected) => {
  expect(isNodeNewEnough(version)).toBe(expected);
});

describe('what is installed matches the lockfile', () => {
  const locked = {
    packages: {
      '': { version: '0.1.0' },
      'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
      'node_modules/for-windows': { version: '1.0.0', integrity: 'sha512-w', optional: true },
    },
  };

  test('when only optional packages are absent', () => {
    expect(matchesLockfile(locked, { packages: { 'node_modules/a': locked.packages['node_modules/a'] } })).toBe(true);
  });

  test.each([
    ['a package is absent', {}],
    ['a version differs', { 'node_modules/a': { version: '1.0.1', integrity: 'sha512-a' } }],
    ['the content differs', { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-b' } }],
  ])('not when %s', (_reason, packages) => {
    expect(matchesLockfile(locked, { packages })).toBe(false);
  });
});

test('a system package under its new name is not missing', () => {
  const dpkgOutput = 'libgtk-3-0t64 installed\nxvfb not-installed\ngit config-files\n';
  expect(missingGroups([['libgtk-3-0t64', 'libgtk-3-0'], ['xvfb'], ['git'], ['bubblewrap']], dpkgOutput)).toEqual([
    ['xvfb'],
    ['git'],
    ['bubblewrap'],
  ]);
});

test('the libraries that the loader does not find are named', () => {
  const lddOutput = '\tlibnss3.so => /lib/libnss3.so (0x1)\n\tlibgbm.so.1 => not found\n\tlinux-vdso.so.1 (0x2)\n';
  expect(missingLibraries(lddOutput)).toEqual(['libgbm.so.1']);
});

test.each([
  [
    'the lines that speak of an error',
    'npm warn old\nnpm error\nnpm error code E404\nsee the log',
    'npm error code E404',
  ],
  ['without a stack trace', 'TypeError: fetch failed\n    at node:internal', 'TypeError: fetch failed'],
  ['or the last lines', 'one\n\ntwo\n', 'one\ntwo'],
])('the reason in an output is %s', (_rule, output, reason) => {
  expect(reasonIn(output)).toBe(reason);
});
