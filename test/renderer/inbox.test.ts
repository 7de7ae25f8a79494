import { describe, expect, test } from 'vitest';
import { arrange, type Ending, openCards, type Slot } from '../../src/renderer/inbox/arrange';
import { addRange, firstGap, intersection, type Range } from '../../src/renderer/inbox/coverage';
import { approval } from './harness/world';

const NOW = 1_800_000_000_000;
const a = approval(1, NOW, { expiresAt: NOW + 10_000 });
const b = approval(2, NOW, { expiresAt: NOW + 20_000 });
const c = approval(3, NOW, { expiresAt: NOW + 30_000 });
const none = new Map<string, Ending>();
const ids = (slots: readonly Slot[]) => slots.map((slot) => slot.request.id);
const at = (...requests: readonly Slot['request'][]) => requests.map((request): Slot => ({ request, ended: null }));

describe('while nobody is in it, the inbox', () => {
  test('is ordered by time left', () => {
    expect(ids(arrange([], [c, a, b], false, none))).toEqual([a.id, b.id, c.id]);
  });

  test('drops what was settled', () => {
    expect(ids(arrange(at(a, b), [b], false, none))).toEqual([b.id]);
  });
});

describe('while somebody is in it, the inbox', () => {
  test('puts what is new at the end, however urgent it is', () => {
    expect(ids(arrange(at(b, c), [a, b, c], true, none))).toEqual([b.id, c.id, a.id]);
  });

  test('keeps what was settled in its place, and says how it ended', () => {
    const ending: Ending = { is: 'settled', settlement: { outcome: 'expired', by: 'clock' } };
    const slots = arrange(at(a, b), [b], true, new Map([[a.id, ending]]));
    expect(slots).toEqual([
      { request: a, ended: ending },
      { request: b, ended: null },
    ]);
  });

  test('learns how something ended after it had gone', () => {
    const gone = arrange(at(a), [], true, none);
    expect(gone[0]?.ended).toEqual({ is: 'gone' });
    const ending: Ending = { is: 'settled', settlement: { outcome: 'stopped', by: 'run' } };
    expect(arrange(gone, [], true, new Map([[a.id, ending]]))[0]?.ended).toEqual(ending);
  });

  test('keeps the very same places when nothing changed', () => {
    const before = at(a, b);
    const after = arrange(before, [a, b], true, none);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
  });
});

describe('open in full', () => {
  const ended = (request: Slot['request']): Slot => ({ request, ended: { is: 'gone' } });
  const cases: readonly [string, readonly Slot[], readonly string[], boolean, readonly string[]][] = [
    ['is the first', at(a, b), [], false, [a.id]],
    ['is the one that was opened, while it waits', at(a, b), [b.id], false, [b.id]],
    ['is the first again when that one has gone', at(a, b), [c.id], false, [a.id]],
    ['is only the last that was opened, once nobody is in the inbox', at(a, b, c), [a.id, c.id], false, [c.id]],
    ['stay all that were opened while somebody is in it', at(a, b, c), [a.id, c.id], true, [a.id, c.id]],
    ['stays one that has ended while it may be read', [ended(a), ...at(b, c)], [a.id, c.id], true, [a.id, c.id]],
    ['is nothing where nothing waits', [], [], false, []],
    ['is what came to the end when all that was open has ended', [ended(a), ...at(b)], [a.id], true, [a.id, b.id]],
  ];
  test.each(cases)('%s', (_name, slots, open, held, expected) => {
    expect(openCards(slots, open, held)).toEqual(expected);
  });
});

describe('what has been seen of a long command', () => {
  const cases: readonly [string, readonly Range[], number | null][] = [
    ['nothing yet', [], 0],
    ['its beginning', [[0, 300]], 300],
    [
      'all of it, page by page',
      [
        [0, 300],
        [280, 580],
        [560, 1000],
      ],
      null,
    ],
    [
      'all of it, from its end',
      [
        [700, 1000],
        [400, 700],
        [0, 410],
      ],
      null,
    ],
    [
      'its beginning and its end, after a jump',
      [
        [0, 300],
        [700, 1000],
      ],
      300,
    ],
    ['only its end', [[700, 1000]], 0],
    ['all but its padding', [[4, 995]], null],
  ];
  test.each(cases)('%s', (_name, ranges, gap) => {
    const seen = ranges.reduce<readonly Range[]>((all, range) => addRange(all, range), []);
    expect(firstGap(seen, 1000, 9)).toBe(gap);
  });

  test('only what stays on screen counts', () => {
    expect(
      addRange(
        [],
        intersection([
          [0, 300],
          [100, 400],
          [200, 500],
        ]),
      ),
    ).toEqual([[200, 300]]);
    expect(
      addRange(
        [],
        intersection([
          [0, 300],
          [900, 1200],
        ]),
      ),
    ).toEqual([]);
  });
});
