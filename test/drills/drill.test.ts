import { expect, it } from 'vitest';
import { drill } from './drill';

it('a kill -9 loses nothing, runs nothing twice and nothing unapproved, and can be gone on from', {
  timeout: 120_000,
}, async () => {
  const drilled = await drill(20);
  expect(drilled).toHaveLength(20);
  expect(drilled.filter(({ killed }) => !killed)).toEqual([]);
  expect(
    drilled.flatMap(({ mode, place, problems }) => problems.map((problem) => `${mode} ${place}: ${problem}`)),
  ).toEqual([]);
});
