import { expect, test } from 'vitest';
import { bucketsOf, totalOf } from '../../src/renderer/statistics/buckets';
import type { DayFigures } from '../../src/shared/statistics';

const NOW = new Date(2026, 2, 31, 9, 30).getTime();
const figures = (day: string, over: Partial<DayFigures> = {}): DayFigures => ({
  day,
  turns: 1,
  tokens: 100,
  costUsd: null,
  workingMs: 0,
  waitingMs: 0,
  approved: 0,
  declined: 0,
  expired: 0,
  other: 0,
  ...over,
});

test('days without anything have their bar, too, up to today, over the change of the clock', () => {
  const buckets = bucketsOf([figures('2026-03-29'), figures('2026-03-31')], 4, NOW);
  expect(buckets.map(({ name, tokens }) => [name, tokens])).toEqual([
    ['28 Mar', 0],
    ['29 Mar', 100],
    ['30 Mar', 0],
    ['31 Mar', 100],
  ]);
});

test('a year is weeks that end today, of which the first may be short', () => {
  const days = Array.from({ length: 31 }, (_, index) => figures(`2026-03-${String(index + 1).padStart(2, '0')}`));
  const buckets = bucketsOf(days, 365, NOW);
  expect(buckets).toHaveLength(53);
  expect(buckets.at(-1)).toMatchObject({ name: '25 Mar to 31 Mar', tokens: 700, turns: 7 });
  expect(buckets[0]?.name).toBe('1 Apr 2025');
  expect(totalOf(buckets).tokens).toBe(3_100);
});

test('a cost that is known for some of it is the cost of that', () => {
  const days = [figures('2026-03-30', { costUsd: 0.5 }), figures('2026-03-31')];
  expect(totalOf(bucketsOf(days, 7, NOW)).costUsd).toBe(0.5);
  expect(totalOf(bucketsOf([figures('2026-03-31')], 7, NOW)).costUsd).toBeNull();
});
