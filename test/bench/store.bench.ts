import { expect, it } from 'vitest';
import { benchStore } from './store';

it('a store of a million events is read fast enough', { timeout: 600_000 }, async () => {
  const figures = await benchStore((line) => console.log(line));
  for (const { name, ms, limitMs } of figures) {
    console.log(`${name.padEnd(66)} ${ms.toFixed(1).padStart(8)} ms   limit ${limitMs} ms`);
  }
  expect(figures.filter(({ ms, limitMs }) => ms > limitMs)).toEqual([]);
});
