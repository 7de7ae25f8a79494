import { type RefObject, useLayoutEffect, useRef } from 'react';
import type { Slot } from './arrange';

/**
 * Keeps the card that is open where it is on screen when cards come above it: the list is scrolled by as much as it
 * was pushed, with room made at the end where it could not be scrolled that far.
 */
export function useSteadyCard(
  list: RefObject<HTMLDivElement | null>,
  slots: readonly Slot[],
  open: readonly string[],
): void {
  const before = useRef<{ id: string; top: number } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured after every change of the places
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return;
    const spacer = element.querySelector<HTMLElement>('.spacer');
    const id = open.at(-1);
    const card = id === undefined ? null : element.querySelector<HTMLElement>(`[data-request="${id}"]`);
    const last = before.current;
    if (card !== null && last !== null && last.id === id) {
      const pushed = card.offsetTop - last.top;
      if (pushed > 0 && spacer !== null) {
        const room = element.scrollHeight - element.clientHeight - element.scrollTop;
        if (room < pushed) spacer.style.height = `${spacer.offsetHeight + pushed - room}px`;
        element.scrollTop += pushed;
      } else if (pushed < 0) element.scrollTop += pushed;
    } else if (spacer !== null) {
      spacer.style.height = '0px';
    }
    before.current = card === null || id === undefined ? null : { id, top: card.offsetTop };
  }, [slots, open]);
}
