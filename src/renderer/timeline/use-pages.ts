import type { SessionId } from '@shared/ids';
import type { Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useState } from 'react';
import type { Entry } from './entries';
import { loadNewer, loadOlder, type TimelineState } from './store';

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

/** Where a new list begins, by the estimates alone: at the end, or with its target in the middle. */
export function firstPlace(
  { folded, target }: TimelineState,
  padding: number,
  height: (index: number) => number,
): number {
  const { entries } = folded;
  const place = entries.findIndex((entry) => entry.key === target);
  const until = place < 0 ? entries.length : place;
  let above = 0;
  for (let index = 0; index < until; index += 1) above += height(index);
  return Math.max(0, above - (place < 0 ? view.height - padding : view.height / 2));
}

/**
 * Goes to where each visit is for: an entry, or the newest.
 * @returns whether the place that was gone to stands still
 */
export function useVisit(list: List, timeline: TimelineState, onVisit: (target: string | null) => void): boolean {
  const { visit, target, folded } = timeline;
  const [arrived, setArrived] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every visit
  useLayoutEffect(() => {
    onVisit(target);
    const place = target === null ? -1 : folded.entries.findIndex((entry) => entry.key === target);
    if (place < 0) list.scrollToEnd();
    else list.scrollToIndex(place, { align: 'center' });
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

/** Reads the pages beside those that are loaded as the reader comes near to their ends. */
export function usePages(list: List, timeline: TimelineState, id: SessionId, arrived: boolean): void {
  const height = list.scrollRect?.height ?? 0;
  const above = list.scrollOffset ?? 0;
  const below = list.getTotalSize() - above - height;
  const idle = arrived && timeline.loading === null && timeline.problem === '';
  const older = idle && timeline.hasOlder && above < AHEAD * height;
  const newer = idle && timeline.hasNewer && below < AHEAD * height;
  useEffect(() => {
    if (older) void loadOlder(id);
    else if (newer) void loadNewer(id);
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
