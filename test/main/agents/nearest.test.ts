import { expect, test } from 'vitest';
import { editDistance, nearest } from '../../../src/main/agents/nearest';

test.each([
  ['', '', 0],
  ['abc', 'abc', 0],
  ['abc', '', 3],
  ['promt', 'prompt', 1],
  ['promtp', 'prompt', 1],
  ['kitten', 'sitting', 3],
])('%j is as far from %j as it takes changes: %i', (a, b, expected) => {
  expect(editDistance(a, b)).toBe(expected);
});

const keys = ['name', 'prompt', 'human_in_the_loop', 'approvalMode', 'maxTurns'];

test.each([
  ['promt', 'prompt'],
  ['Name', 'name'],
  ['humanInTheLoop', 'human_in_the_loop'],
  ['approval_mode', 'approvalMode'],
  ['max_turn', 'maxTurns'],
  ['colour', null],
  ['x', null],
])('for %j the key %j was meant', (name, expected) => {
  expect(nearest(name, keys)).toBe(expected);
});

test('where nothing is known, nothing was meant', () => {
  expect(nearest('name', [])).toBeNull();
});
