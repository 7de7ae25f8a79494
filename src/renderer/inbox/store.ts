import type { BridgeError } from '@shared/bridge';
import type { JournalEvent } from '@shared/events';
import type { RequestId } from '@shared/ids';
import type { Answer, Request } from '@shared/requests';
import { create } from 'zustand';
import { ask } from '../ui/bridge';
import { arrange, type Ending, openCards, type Slot } from './arrange';

interface InboxState {
  /** What waits, as the main process says. */
  readonly requests: readonly Request[];
  readonly slots: readonly Slot[];
  /** Cards shown in full; the last is the one that was opened last. */
  readonly open: readonly string[];
  /** The pointer is over the inbox, or the focus is in it: nothing in it moves. */
  readonly held: boolean;
  /** Answers on their way, and what went wrong with those that were refused. */
  readonly sending: ReadonlySet<string>;
  readonly problems: ReadonlyMap<string, string>;
  /** Why what waits could not be read: then nobody may say that nothing waits. */
  readonly unread: BridgeError | null;
}

export const useInbox = create<InboxState>(() => ({
  requests: [],
  slots: [],
  open: [],
  held: false,
  sending: new Set(),
  problems: new Map(),
  unread: null,
}));

// Settlements are remembered apart from the inbox: the event and the inbox push may arrive in either order.
const endings = new Map<string, Ending>();
const REMEMBERED = 500;

function rearrange(change: Partial<Pick<InboxState, 'requests' | 'held' | 'open'>>): void {
  const state = { ...useInbox.getState(), ...change };
  const slots = arrange(state.slots, state.requests, state.held, endings);
  useInbox.setState({ ...change, slots, open: openCards(slots, state.open, state.held) });
}

export function takeInbox(requests: readonly Request[]): void {
  rearrange({ requests });
  useInbox.setState({ unread: null });
  for (const { request, ended } of useInbox.getState().slots) if (ended?.is === 'gone') void learnEnding(request);
}

/** How far back in a journal the end of a request is looked for. It has only just happened. */
const LOOK_BACK = 60;

/** Of a session that is not on screen no events are pushed: how its request ended is read from its journal. */
async function learnEnding({ id, sessionId }: Request): Promise<void> {
  const result = await ask('readEvents', { sessionId, from: { at: 'end' }, limit: LOOK_BACK });
  if (result.ok && !endings.has(id)) takeSettlements(result.value.events);
}

export function takeSettlements(events: readonly JournalEvent[]): void {
  let seen = false;
  for (const { body } of events) {
    if (body.type !== 'request_settled') continue;
    remember(body.requestId, { is: 'settled', settlement: body.settlement });
    seen = true;
  }
  if (seen) rearrange({});
}

function remember(id: string, ending: Ending): void {
  endings.set(id, ending);
  if (endings.size <= REMEMBERED) return;
  const oldest = endings.keys().next();
  if (!oldest.done) endings.delete(oldest.value);
}

export function hold(held: boolean): void {
  if (useInbox.getState().held !== held) rearrange({ held });
}

/** Clears away what has ended, at the operator's word. */
export function tidy(): void {
  const slots = useInbox.getState().slots.filter((slot) => slot.ended === null);
  useInbox.setState(({ open, held }) => ({ slots, open: openCards(slots, open, held) }));
}

/** Opens a card in full. With the keyboard the one before closes; under the pointer it stays, so that nothing moves. */
export function openCard(id: string, by: 'pointer' | 'keyboard'): void {
  const { open } = useInbox.getState();
  const others = by === 'keyboard' ? [] : open.filter((other) => other !== id);
  useInbox.setState({ open: [...others, id] });
}

/** Sends the operator's answer with the digest of what was shown. What was refused is said on the card. */
export async function answer(request: Request, given: Answer): Promise<boolean> {
  if (useInbox.getState().sending.has(request.id)) return false;
  useInbox.setState(({ sending, problems }) => ({
    sending: new Set(sending).add(request.id),
    problems: without(problems, request.id),
  }));
  const result = await ask('answerRequest', { requestId: request.id, digest: request.digest, answer: given });
  useInbox.setState(({ sending }) => ({ sending: new Set([...sending].filter((id) => id !== request.id)) }));
  if (result.ok) {
    remember(request.id, {
      is: 'settled',
      settlement: { outcome: given.type === 'decline' ? 'declined' : 'approved', by: 'operator', answer: given },
    });
    rearrange({});
    openNext(request.id);
    return true;
  }
  const problem = [result.error.message, result.error.remedy].filter(Boolean).join(' ');
  useInbox.setState(({ problems }) => ({ problems: new Map(problems).set(request.id, problem) }));
  return false;
}

/** The operator is done with one and goes on to the next below it; what lies above stays as it is. */
function openNext(id: RequestId): void {
  const { slots, open } = useInbox.getState();
  const at = slots.findIndex((slot) => slot.request.id === id);
  const next = slots.slice(at + 1).find((slot) => slot.ended === null);
  if (at !== -1 && next !== undefined && !open.includes(next.request.id)) {
    useInbox.setState({ open: [...open, next.request.id] });
  }
}

function without(problems: ReadonlyMap<string, string>, id: RequestId): ReadonlyMap<string, string> {
  const rest = new Map(problems);
  rest.delete(id);
  return rest;
}
