import { expect, test } from 'vitest';
import { MAX_TOOL_NAME, patternProblem } from '../../src/shared/safe-pattern';

test.each([
  '^parcel_',
  '^stream_(ls|info|view)$',
  'a.*b',
  '^a.*b.*c.*d$',
  '^(?:git|npm)_[a-z]+$',
  '[(*+|)]{1,3}',
  '\\p{L}+',
  '^\\w{2,8}_x?$',
  '(?<verb>ls|rm)$',
  'x{40}',
])('%s is used', (pattern) => {
  expect(patternProblem(pattern, MAX_TOOL_NAME)).toBeNull();
});

test.each([
  ['(a+)+$', 'repeats something'],
  ['(a*)*b', 'repeats something'],
  ['^(a|a)*$', 'repeats something'],
  ['^(a|aa)+$', 'repeats something'],
  ['([a-zA-Z]+)*$', 'repeats something'],
  ['(.*a){20}', 'repeats something'],
  ['(a|b){40}', 'repeats something'],
  ['((a?b?)c?)*', 'repeats something'],
  ['(?:x{0,9}){0,9}', 'repeats something'],
  ['.*.*.*.*.*x', 'so many repetitions'],
  [`^${'a?'.repeat(30)}${'a'.repeat(30)}$`, 'so many repetitions'],
  ['(\\w+)\\1', 'back references'],
  ['(?<a>x)\\k<a>', 'back references'],
  ['^(?!rm)', 'look-around'],
  ['(?<=a)b', 'look-around'],
  ['(', 'not a regular expression'],
  ['(?i)x', 'not a regular expression'],
  ['x'.repeat(201), 'longer than'],
])('%s is refused: %s', (pattern, problem) => {
  expect(patternProblem(pattern, MAX_TOOL_NAME)).toContain(problem);
});

test('what is let through is fast on a text made to be slow', () => {
  const slow = 'a'.repeat(MAX_TOOL_NAME);
  for (const pattern of ['^a*a*a*b', 'a*a*b', '^(?:a|b)(?:a|b)(?:a|b).*.*c']) {
    expect(patternProblem(pattern, MAX_TOOL_NAME)).toBeNull();
    const began = performance.now();
    new RegExp(pattern, 'u').test(slow);
    expect(performance.now() - began).toBeLessThan(500);
  }
});
