import { type RefObject, useEffect } from 'react';
import { hold, useInbox } from './store';

/** Holds the inbox still while the pointer is over it or the focus is in it. */
export function useHold(region: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = region.current;
    if (element === null) return;
    let pointer = false;
    const update = () => hold(pointer || element.contains(document.activeElement));
    const enter = () => {
      pointer = true;
      update();
    };
    const leave = () => {
      pointer = false;
      update();
    };
    // At focusout the focus has not arrived where it goes yet.
    const later = () => setTimeout(update, 0);
    // What had the focus may have been taken out of the page, which no event tells.
    const unsubscribe = useInbox.subscribe((state, before) => {
      if (state.slots !== before.slots) later();
    });
    element.addEventListener('pointerenter', enter);
    element.addEventListener('pointerleave', leave);
    element.addEventListener('focusin', update);
    element.addEventListener('focusout', later);
    return () => {
      unsubscribe();
      element.removeEventListener('pointerenter', enter);
      element.removeEventListener('pointerleave', leave);
      element.removeEventListener('focusin', update);
      element.removeEventListener('focusout', later);
    };
  }, [region]);
}
