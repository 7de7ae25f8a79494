import { beforeAll, describe, expect, it } from 'vitest';
import { RACES, type RaceResult } from './races';
import { runAs, USERS } from './run-as';

/** How often each tool is used in each race. */
const ROUNDS = 12;

/** What swaps knows the system call of these by its number. */
const canSwap = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);

describe.runIf(canSwap).each(USERS)('while something is swapped, the file tools of %s', (_, uid) => {
  let results: RaceResult[];
  beforeAll(async () => {
    results = await runAs<RaceResult[]>(uid, 'run-races.ts', JSON.stringify(ROUNDS));
  }, 300_000);

  it.each(RACES.map(({ about }) => about))('change and tell nothing else: %s', (about) => {
    const result = results.find((one) => one.about === about);
    expect(result).toMatchObject({ told: [], changes: [], left: [] });
    // It was a race: the two were swapped often, and either was met.
    expect(result?.swaps).toBeGreaterThan(500);
    expect(result?.refused).toBeGreaterThan(0);
    expect(result?.done).toBeGreaterThan(0);
  });
});
