import { openCard, useInbox } from './store';

/** Puts the focus on a request's card, opened in full: only ever because the operator asked for it. */
export function focusRequest(id: string): void {
  openCard(id, 'keyboard');
  // After the card has been drawn in full.
  requestAnimationFrame(() => cardOf(id)?.focus());
}

export function cardOf(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-request="${CSS.escape(id)}"]`);
}

/** Goes to the next or the one before among those that still wait. */
export function step(by: 1 | -1): void {
  const { slots } = useInbox.getState();
  const focused = document.activeElement?.closest<HTMLElement>('[data-request]')?.dataset.request;
  const at = slots.findIndex((slot) => slot.request.id === focused);
  const order = by === 1 ? slots.slice(at + 1) : slots.slice(0, at === -1 ? slots.length : at).reverse();
  const next = order.find((slot) => slot.ended === null) ?? (at === -1 ? undefined : slots[at]);
  if (next !== undefined) focusRequest(next.request.id);
}

/** The most urgent one that waits. */
export function focusFirst(): void {
  const first = [...useInbox.getState().requests].sort((a, b) => a.expiresAt - b.expiresAt)[0];
  if (first !== undefined) focusRequest(first.id);
}

/** Opens the card that was clicked and puts the focus on it: its button is gone, and the keys are for it now. */
export function focusClicked(id: string): void {
  openCard(id, 'pointer');
  requestAnimationFrame(() => {
    const card = cardOf(id);
    card?.focus({ preventScroll: true });
    card?.scrollIntoView({ block: 'nearest' });
  });
}

/**
 * The controls of a card are about to be switched off. Who used the keyboard stays on the card, so that the keys go on
 * working; who used the pointer leaves, so that the inbox is not held after the pointer is gone.
 */
export function leaveControls(id: string, by: 'pointer' | 'keyboard'): void {
  if (by === 'keyboard') cardOf(id)?.focus({ preventScroll: true });
  else if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}
