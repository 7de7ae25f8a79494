import { expect, it } from 'vitest';
import { drill } from './drill';

/** How many places the app is killed at, spread over all that there are. */
const POINTS = 200;

it(`is killed with -9 at ${POINTS} places, and comes to the same end from each`, async () => {
  const began = Date.now();
  const drilled = await drill(POINTS, (line) => console.log(line));
  const failed = drilled.filter(({ problems }) => problems.length > 0);
  const unreached = drilled.filter(({ killed }) => !killed);
  for (const mode of ['run', 'migrate', 'export', 'import'] as const) {
    const of = drilled.filter((one) => one.mode === mode);
    console.log(
      `${mode.padEnd(8)} ${of.length} kills, ${of.filter(({ problems }) => problems.length > 0).length} with problems`,
    );
  }
  const seconds = ((Date.now() - began) / 1_000).toFixed(0);
  console.log(
    `${drilled.length - failed.length} of ${drilled.length} held, ${unreached.length} places not reached, ${seconds} s`,
  );
  expect(failed).toEqual([]);
  expect(unreached).toEqual([]);
});
