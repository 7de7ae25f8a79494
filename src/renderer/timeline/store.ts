import type { JournalEvent } from '@shared/events';
import type { SessionId } from '@shared/ids';
import { create } from 'zustand';
import { ask } from '../ui/bridge';
import { type Folded, fold, NOTHING_FOLDED } from './fold';
import { entryOf } from './places';

const PAGE = 500;

export interface TimelineState {
  readonly folded: Folded;
  /** The events behind it, kept because an older page changes what calls at its edge look like. */
  readonly events: readonly JournalEvent[];
  readonly status: 'loading' | 'ready' | 'failed';
  readonly problem: string;
  readonly hasOlder: boolean;
  readonly loadingOlder: boolean;
  /** What is loaded ends before the journal does: the reader went to a place in the middle of it. */
  readonly hasNewer: boolean;
  /** The key of the entry to be shown, until it was. */
  readonly target: string | null;
}

const LOADING: TimelineState = {
  folded: NOTHING_FOLDED,
  events: [],
  status: 'loading',
  problem: '',
  hasOlder: false,
  loadingOlder: false,
  hasNewer: false,
  target: null,
};

/** Places to open sessions at that are not open yet. */
const wanted = new Map<SessionId, number>();

export const useTimelines = create<Readonly<Record<string, TimelineState>>>(() => ({}));

function update(id: SessionId, change: (state: TimelineState) => Partial<TimelineState>): void {
  useTimelines.setState((all) => {
    const state = all[id];
    return state === undefined ? all : { [id]: { ...state, ...change(state) } };
  });
}

/** Watches exactly these sessions: opens those that are new to it and lets go of the rest. */
export async function watch(ids: readonly SessionId[]): Promise<void> {
  const before = useTimelines.getState();
  const next: Record<string, TimelineState> = {};
  for (const id of ids) next[id] = before[id] ?? LOADING;
  useTimelines.setState(next, true);
  // Watched first and read after it: what happens in between arrives twice and is folded once.
  const watching = await ask('watchSessions', { sessionIds: [...ids] });
  for (const id of ids) {
    if (!watching.ok) update(id, () => ({ status: 'failed', problem: watching.error.message }));
    else if (before[id]?.status !== 'ready') void open(id);
  }
}

async function open(sessionId: SessionId): Promise<void> {
  const place = wanted.get(sessionId);
  wanted.delete(sessionId);
  if (place !== undefined) return openAround(sessionId, place);
  const result = await ask('readEvents', { sessionId, from: { at: 'end' }, limit: PAGE });
  update(sessionId, (state) => {
    if (!result.ok) return { status: 'failed', problem: result.error.message };
    const last = result.value.events.at(-1)?.seq ?? 0;
    // While it was loading, pushed events were only collected.
    const events = [...result.value.events, ...state.events.filter((event) => event.seq > last)];
    const folded = fold(NOTHING_FOLDED, events);
    return { status: 'ready', events, folded, hasOlder: result.value.hasMore, hasNewer: false };
  });
}

/** Shows a session at one event: where it is loaded, at once; else what stands around it, and not what lies between. */
export function goToEvent(sessionId: SessionId, seq: number): void {
  const state = useTimelines.getState()[sessionId];
  if (state === undefined) wanted.set(sessionId, seq);
  else if (state.events.some((event) => event.seq === seq)) {
    update(sessionId, ({ events }) => ({ target: entryOf(events, seq) }));
  } else void openAround(sessionId, seq);
}

async function openAround(sessionId: SessionId, seq: number): Promise<void> {
  const limit = PAGE / 2;
  const [before, after] = await Promise.all([
    ask('readEvents', { sessionId, from: { at: 'before', seq: seq + 1 }, limit }),
    ask('readEvents', { sessionId, from: { at: 'after', seq }, limit }),
  ]);
  update(sessionId, () => {
    if (!before.ok) return { status: 'failed', problem: before.error.message };
    if (!after.ok) return { status: 'failed', problem: after.error.message };
    const events = [...before.value.events, ...after.value.events];
    return {
      status: 'ready',
      events,
      folded: fold(NOTHING_FOLDED, events),
      hasOlder: before.value.hasMore,
      hasNewer: after.value.hasMore,
      target: entryOf(events, seq),
    };
  });
}

export function reachedTarget(sessionId: SessionId): void {
  update(sessionId, () => ({ target: null }));
}

/** Back from a place in the middle to what happens now. */
export function openNewest(sessionId: SessionId): void {
  void open(sessionId);
}

export async function loadNewer(sessionId: SessionId): Promise<void> {
  const state = useTimelines.getState()[sessionId];
  const last = state?.events.at(-1);
  if (state === undefined || last === undefined || !state.hasNewer || state.loadingOlder) return;
  update(sessionId, () => ({ loadingOlder: true }));
  const result = await ask('readEvents', { sessionId, from: { at: 'after', seq: last.seq }, limit: PAGE });
  update(sessionId, (now) => {
    if (!result.ok) return { loadingOlder: false, problem: result.error.message };
    const events = [...now.events, ...result.value.events];
    const folded = fold(now.folded, result.value.events);
    return { loadingOlder: false, hasNewer: result.value.hasMore, events, folded };
  });
}

export function retryOpen(sessionId: SessionId): void {
  update(sessionId, () => LOADING);
  void open(sessionId);
}

/** Takes a frame's worth of pushed events, of whatever sessions. */
export function takeEvents(pushed: readonly JournalEvent[]): void {
  const bySession = new Map<SessionId, JournalEvent[]>();
  for (const event of pushed) {
    const list = bySession.get(event.sessionId);
    if (list === undefined) bySession.set(event.sessionId, [event]);
    else list.push(event);
  }
  for (const [id, events] of bySession) {
    update(id, (state) => {
      // They are read when the reader comes to them.
      if (state.hasNewer) return {};
      const fresh = events.filter((event) => event.seq > (state.events.at(-1)?.seq ?? 0));
      if (fresh.length === 0) return {};
      const all = [...state.events, ...fresh];
      return state.status === 'ready' ? { events: all, folded: fold(state.folded, fresh) } : { events: all };
    });
  }
}

export async function loadOlder(sessionId: SessionId): Promise<void> {
  const state = useTimelines.getState()[sessionId];
  const first = state?.events[0];
  if (state === undefined || first === undefined || !state.hasOlder || state.loadingOlder) return;
  update(sessionId, () => ({ loadingOlder: true }));
  const result = await ask('readEvents', { sessionId, from: { at: 'before', seq: first.seq }, limit: PAGE });
  update(sessionId, (now) => {
    if (!result.ok) return { loadingOlder: false, hasOlder: false, problem: result.error.message };
    const events = [...result.value.events, ...now.events];
    return { loadingOlder: false, hasOlder: result.value.hasMore, events, folded: fold(NOTHING_FOLDED, events) };
  });
}
