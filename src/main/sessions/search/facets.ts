import { createHash } from 'node:crypto';

/** What a search can be narrowed by, beside words. Dates are kept as days, months and years of UTC. */
export type FacetKind = 'agent' | 'tool' | 'outcome' | 'label' | 'day' | 'month' | 'year';

/** The facet that every entry has, so that a search without words has something to look for. */
export const EVERYTHING = 'everything';

/**
 * One word of the index's second column. The value is hashed: whatever stands in it stays one word, and none of it can
 * be taken for query syntax.
 */
export function facet(kind: FacetKind, value: string): string {
  const hash = createHash('sha256').update(value.toLowerCase()).digest('hex');
  return `${kind}${hash.slice(0, 16)}`;
}

/** The facets of a time. */
export function timeFacets(at: number): string[] {
  const iso = new Date(at).toISOString();
  return [facet('day', iso.slice(0, 10)), facet('month', iso.slice(0, 7)), facet('year', iso.slice(0, 4))];
}

const DAY_MS = 86_400_000;

/** Nothing of Sayso is older; a search without a beginning starts here. */
const FIRST_DAY = Date.UTC(2020, 0, 1);

/** The fewest days, months and years that hold every moment from `from` to `to`: a sieve, not the exact limits. */
export function facetsBetween(from: number, to: number): string[] {
  const facets: string[] = [];
  let day = startOfDay(Math.max(from, FIRST_DAY));
  const last = startOfDay(Math.min(to, Date.now() + DAY_MS));
  while (day <= last) {
    const date = new Date(day);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    const iso = date.toISOString();
    const nextYear = Date.UTC(year + 1, 0, 1);
    const nextMonth = Date.UTC(year, month + 1, 1);
    if (day === Date.UTC(year, 0, 1) && nextYear - DAY_MS <= last) {
      facets.push(facet('year', iso.slice(0, 4)));
      day = nextYear;
    } else if (date.getUTCDate() === 1 && nextMonth - DAY_MS <= last) {
      facets.push(facet('month', iso.slice(0, 7)));
      day = nextMonth;
    } else {
      facets.push(facet('day', iso.slice(0, 10)));
      day += DAY_MS;
    }
  }
  return facets;
}

function startOfDay(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS;
}
