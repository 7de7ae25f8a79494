import type { Request, Settlement } from '@shared/requests';

/** A place in the inbox. One whose request is gone is kept, greyed, for as long as somebody may be reading it. */
export interface Slot {
  readonly request: Request;
  readonly ended: Ending | null;
}

/** How a request left the inbox: its settlement, where the window has seen it; `gone` until then. */
export type Ending = { readonly is: 'gone' } | { readonly is: 'settled'; readonly settlement: Settlement };

/**
 * The inbox's places after a change. While `held` (the pointer or the focus is in it) nothing that is there moves:
 * what was settled keeps its place and what is new goes to the end. Otherwise it is what waits, by time left.
 */
export function arrange(
  slots: readonly Slot[],
  requests: readonly Request[],
  held: boolean,
  endings: ReadonlyMap<string, Ending>,
): readonly Slot[] {
  if (!held) return byTimeLeft(requests).map((request) => ({ request, ended: null }));
  const waiting = new Map(requests.map((request) => [request.id, request]));
  const kept = slots.map((slot): Slot => {
    const request = waiting.get(slot.request.id);
    waiting.delete(slot.request.id);
    if (request !== undefined) return slot.request === request && slot.ended === null ? slot : { request, ended: null };
    const ended = endings.get(slot.request.id) ?? slot.ended ?? { is: 'gone' };
    return { request: slot.request, ended };
  });
  return [...kept, ...byTimeLeft([...waiting.values()]).map((request): Slot => ({ request, ended: null }))];
}

function byTimeLeft(requests: readonly Request[]): readonly Request[] {
  return [...requests].sort((a, b) => a.expiresAt - b.expiresAt || a.createdAt - b.createdAt);
}

/**
 * Which cards are open in full: those that the operator opened, as long as they are there; otherwise the first that
 * waits. A card that has ended stays as large as it was, so that what lies below it does not move.
 */
export function openCards(slots: readonly Slot[], open: readonly string[], held: boolean): readonly string[] {
  const present = open.filter((id) => slots.some((slot) => slot.request.id === id));
  const live = present.filter((id) => slots.some((slot) => slot.request.id === id && slot.ended === null));
  if (!held) {
    const last = live.at(-1) ?? slots[0]?.request.id;
    return last === undefined ? [] : [last];
  }
  if (live.length > 0) return present;
  // Everything that was open has ended: a card may open by itself only where that moves nothing, at the end.
  const end = slots.at(-1);
  return end !== undefined && end.ended === null && !present.includes(end.request.id)
    ? [...present, end.request.id]
    : present;
}
