import { type RefObject, useEffect, useRef, useState } from 'react';
import { addRange, firstGap, intersection, type Range } from './coverage';

/** How often it is looked at what is on screen, in milliseconds. */
const EVERY_MS = 75;
/** For so many looks a line must stay on screen to count: what flies by in a jump to the end was not read. */
const LOOKS = 3;
/** Padding and rounding at the edges, in pixels. */
const SLACK = 9;

/** The part of a scrolling element that is on screen, in pixels of its content; null while none of it is. */
function onScreen(element: HTMLElement): Range | null {
  // Behind a dialog it is there, and nobody reads it.
  if (document.visibilityState !== 'visible' || document.querySelector('dialog[open]') !== null) return null;
  const box = element.getBoundingClientRect();
  const around = element.closest('.cards')?.getBoundingClientRect() ?? box;
  const top = Math.max(box.top, around.top, 0);
  const bottom = Math.min(box.bottom, around.bottom, window.innerHeight);
  return bottom <= top ? null : [element.scrollTop + top - box.top, element.scrollTop + bottom - box.top];
}

export interface Seen {
  readonly whole: boolean;
  /** Scrolls to the first part that has not been on screen long enough to be read. */
  readonly showRest: () => void;
}

/** Whether all of a scrolling element, every line of it, has been on screen since it was shown. */
export function useSeen(element: RefObject<HTMLElement | null>): Seen {
  const [whole, setWhole] = useState(false);
  const seen = useRef<readonly Range[]>([]);

  useEffect(() => {
    if (whole) return;
    let looks: readonly Range[] = [];
    let height = 0;
    const timer = setInterval(() => {
      const list = element.current;
      const range = list === null ? null : onScreen(list);
      if (list === null || range === null) {
        looks = [];
        return;
      }
      // In another width the lines break elsewhere: pixels that were counted mean other lines now.
      if (list.scrollHeight !== height) {
        height = list.scrollHeight;
        seen.current = [];
        looks = [];
      }
      looks = [...looks, range].slice(-LOOKS);
      if (looks.length < LOOKS) return;
      seen.current = addRange(seen.current, intersection(looks));
      if (firstGap(seen.current, height, SLACK) === null) setWhole(true);
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [whole, element]);

  const showRest = () => {
    const list = element.current;
    if (list === null) return;
    const gap = firstGap(seen.current, list.scrollHeight, SLACK) ?? list.scrollHeight;
    // A line of what was read stays at the top, so that nothing falls between two pages.
    list.scrollTop = Math.max(0, gap - 24);
    list.scrollIntoView({ block: 'nearest' });
  };
  return { whole, showRest };
}
