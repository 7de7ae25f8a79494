import type { DayFigures } from '@shared/statistics';
import { day as dayWords } from '../ui/format';

const DAY_MS = 86_400_000;

/** From so many days on, a bar is a week: more bars than these cannot be told apart. */
const MOST_BARS = 95;

export type Figures = Omit<DayFigures, 'day'>;

/** One bar of a chart: a day, or a week. */
export interface Bucket extends Figures {
  /** "31 Mar" or "25 Mar to 31 Mar". */
  readonly name: string;
}

export const NOTHING: Figures = {
  turns: 0,
  tokens: 0,
  costUsd: null,
  workingMs: 0,
  waitingMs: 0,
  approved: 0,
  declined: 0,
  expired: 0,
  other: 0,
};

/** The last `count` days up to today without a gap, day by day or week by week. Pure. */
export function bucketsOf(days: readonly DayFigures[], count: number, now: number): readonly Bucket[] {
  const known = new Map(days.map((day) => [day.day, day]));
  const size = count > MOST_BARS ? 7 : 1;
  const today = new Date(now);
  const dates = Array.from({ length: count }, (_, index) => {
    // Noon, so that a day of 23 or 25 hours is still that day.
    const noon = new Date(today.getFullYear(), today.getMonth(), today.getDate(), 12).getTime();
    return new Date(noon - (count - 1 - index) * DAY_MS);
  });
  const buckets: Bucket[] = [];
  for (let end = dates.length; end > 0; end -= size) {
    const part = dates.slice(Math.max(0, end - size), end);
    const [first, last] = [part[0], part.at(-1)];
    if (first === undefined || last === undefined) continue;
    const name =
      first === last
        ? dayWords(first.getTime(), now)
        : `${dayWords(first.getTime(), now)} to ${dayWords(last.getTime(), now)}`;
    buckets.unshift({ ...part.map((date) => known.get(keyOf(date)) ?? NOTHING).reduce(added, NOTHING), name });
  }
  return buckets;
}

/** The sum of all. Pure. */
export function totalOf(buckets: readonly Figures[]): Figures {
  return buckets.reduce(added, NOTHING);
}

function added(a: Figures, b: Figures): Figures {
  return {
    turns: a.turns + b.turns,
    tokens: a.tokens + b.tokens,
    costUsd: a.costUsd === null && b.costUsd === null ? null : (a.costUsd ?? 0) + (b.costUsd ?? 0),
    workingMs: a.workingMs + b.workingMs,
    waitingMs: a.waitingMs + b.waitingMs,
    approved: a.approved + b.approved,
    declined: a.declined + b.declined,
    expired: a.expired + b.expired,
    other: a.other + b.other,
  };
}

function keyOf(date: Date): string {
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}
