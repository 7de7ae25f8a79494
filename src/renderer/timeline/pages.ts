import type { JournalEvent } from '@shared/events';
import { mergeStreamed, withoutSettled } from '@shared/streams';

/** So many events are read at once: some screens of them. */
export const PAGE = 120;

/**
 * So many events are kept at least, about half of them entries: more than what stands on the largest screen and what is
 * loaded ahead of it, so that what was just let go of is not needed at once.
 */
export const KEPT = 1_200;

/** So many more are taken while the reader has left the end: what they are near to is then not let go of at once. */
const SLACK = 3 * PAGE;

/** The loaded part of a journal, in order, in pages. Those farthest from the reader are let go of, whole. */
export type Pages = readonly (readonly JournalEvent[])[];

export function eventsOf(pages: Pages): readonly JournalEvent[] {
  return pages.length === 1 ? (pages[0] ?? []) : pages.flat();
}

export function lastSeqOf(pages: Pages): number {
  return pages.at(-1)?.at(-1)?.seq ?? 0;
}

export function firstSeqOf(pages: Pages): number {
  return pages[0]?.[0]?.seq ?? 0;
}

export interface Changed {
  readonly pages: Pages;
  /** True where pages were let go of at the other end. */
  readonly dropped: boolean;
}

export function withOlder(pages: Pages, older: readonly JournalEvent[]): Changed {
  return older.length === 0 ? { pages, dropped: false } : withoutLast([older, ...pages]);
}

export function withNewer(pages: Pages, newer: readonly JournalEvent[]): Changed {
  return newer.length === 0 ? { pages, dropped: false } : withoutFirst([...pages, newer]);
}

/** With what has just happened. What it makes superfluous of what streamed is let go of, and what streams is one piece. */
export function withFresh(pages: Pages, fresh: readonly JournalEvent[]): Pages {
  if (fresh.length === 0) return pages;
  const last = pages.at(-1);
  if (last === undefined || last.length >= PAGE) return [...pages, mergeStreamed(withoutSettled(fresh))];
  return [...pages.slice(0, -1), mergeStreamed(withoutSettled([...last, ...fresh]))];
}

/** Lets go of the oldest pages, as far as enough is kept. */
function withoutFirst(pages: Pages): Changed {
  let left = count(pages);
  let from = 0;
  for (const page of pages) {
    if (left - page.length < KEPT) break;
    left -= page.length;
    from += 1;
  }
  return { pages: pages.slice(from), dropped: from > 0 };
}

/** Lets go of the newest pages, as far as enough is kept. */
function withoutLast(pages: Pages): Changed {
  const { pages: kept, dropped } = withoutFirst([...pages].reverse());
  return { pages: [...kept].reverse(), dropped };
}

/** Lets go of what is too much: of the oldest pages, or where the reader has left the end, of the newest. */
export function bounded(pages: Pages, end: 'followed' | 'left'): Changed {
  if (end === 'followed') return withoutFirst(pages);
  return count(pages) < KEPT + SLACK ? { pages, dropped: false } : withoutLast(pages);
}

function count(pages: Pages): number {
  return pages.reduce((sum, page) => sum + page.length, 0);
}
