import type { SessionId } from '@shared/ids';
import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useState } from 'react';
import type { Entry } from './entries';
import { loadMore } from './paging';
import type { Place, TimelineState } from './state';

type List = Virtualizer<HTMLDivElement, Element>;

/** The next page is read when the reader is this many heights of the viewport away from the end of what is loaded. */
const AHEAD = 2;

/** Frames until the rows of a new place have been measured, and it stands still. */
const SETTLING_FRAMES = 4;

/** How large the timeline was last, in pixels: the next one begins with that. */
export const view = { width: 640, height: 640 };

export function rememberView(rect: List['scrollRect']): void {
  if (rect !== null && rect.height > 0) Object.assign(view, rect);
}

/** Where a new list begins, by the estimates alone. */
export function firstOffset(timeline: TimelineState, padding: number, height: (index: number) => number): number {
  if (timeline.place === 'start') return 0;
  const index = indexOf(timeline);
  const until = index ?? timeline.folded.entries.length;
  let above = 0;
  for (let one = 0; one < until; one += 1) above += height(one);
  return Math.max(0, above - (index === null ? view.height - padding : view.height / 2));
}

/** Of the entry that the visit is for; null where it is for an end. */
function indexOf({ place, folded }: TimelineState): number | null {
  if (typeof place === 'string') return null;
  const index = folded.entries.findIndex(({ key }) => key === place.entry);
  return index < 0 ? null : index;
}

/**
 * Goes to where each visit is for.
 * @returns whether the place that was gone to stands still
 */
export function useVisit(list: List, timeline: TimelineState, onVisit: (place: Place) => void): boolean {
  const { visit, place } = timeline;
  const [arrived, setArrived] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every visit
  useLayoutEffect(() => {
    onVisit(place);
    const index = indexOf(timeline);
    if (index !== null) list.scrollToIndex(index, { align: 'center' });
    else if (place === 'start') list.scrollToOffset(0);
    else list.scrollToEnd();
    let frames = 0;
    let frame = requestAnimationFrame(function settle() {
      frames += 1;
      if (frames < SETTLING_FRAMES) frame = requestAnimationFrame(settle);
      else setArrived(visit);
    });
    return () => cancelAnimationFrame(frame);
  }, [visit]);
  return arrived === visit;
}

/** Sessions whose next list is to have the focus, because the one before had it. */
const focusing = new Set<SessionId>();

/** Whoever goes to another place with the keyboard goes on there with the keyboard. */
export function keepFocus(id: SessionId): void {
  focusing.add(id);
}

export function useKeptFocus(id: SessionId, scroller: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (focusing.delete(id)) scroller.current?.focus({ preventScroll: true });
  }, [id, scroller]);
}

/** Reads the pages beside those that are loaded as the reader comes near to their ends. */
export function usePages(list: List, timeline: TimelineState, id: SessionId, arrived: boolean): void {
  const height = list.scrollRect?.height ?? 0;
  const above = list.scrollOffset ?? 0;
  const below = list.getTotalSize() - above - height;
  const idle = arrived && timeline.loading === null && timeline.problem === '';
  const older = idle && timeline.hasOlder && above < AHEAD * height;
  const newer = idle && timeline.hasNewer && below < AHEAD * height;
  useEffect(() => {
    if (older) void loadMore(id, 'older');
    else if (newer) void loadMore(id, 'newer');
  }, [older, newer, id]);
}

/** The list remembers how high each entry was: of entries that were let go of, it must not for ever. */
export function useForgottenSizes(list: List, entries: readonly Entry[]): void {
  useEffect(() => {
    if (list.itemSizeCache.size < 2 * entries.length + 100) return;
    const keys = new Set(entries.map((entry) => entry.key));
    for (const key of list.itemSizeCache.keys()) if (!keys.has(String(key))) list.itemSizeCache.delete(key);
  }, [list, entries]);
}
