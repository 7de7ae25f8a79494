import type { BridgeInput } from '@shared/bridge';
import type { JournalEvent } from '@shared/events';
import type { SessionId } from '@shared/ids';
import { create } from 'zustand';
import { ask } from '../ui/bridge';
import { type Folded, fold, NOTHING_FOLDED } from './fold';
import { bounded, eventsOf, firstSeqOf, lastSeqOf, PAGE, type Pages, withFresh, withNewer, withOlder } from './pages';
import { entryOf } from './places';
import { reuse } from './reuse';

export interface TimelineState {
  readonly folded: Folded;
  /** The events behind it, kept because a page beside them changes what calls at its edge look like. */
  readonly pages: Pages;
  readonly status: 'loading' | 'ready' | 'failed';
  readonly problem: string;
  readonly hasOlder: boolean;
  /** What is loaded ends before the journal does. */
  readonly hasNewer: boolean;
  readonly loading: 'older' | 'newer' | null;
  /** Where the reader goes to. `visit` is another number each time; `window` where nothing of what was loaded is kept. */
  readonly visit: number;
  readonly window: number;
  /** The key of the entry that the visit is for; null for the newest. */
  readonly target: string | null;
}

const LOADING: TimelineState = {
  folded: NOTHING_FOLDED,
  pages: [],
  status: 'loading',
  problem: '',
  hasOlder: false,
  hasNewer: false,
  loading: null,
  visit: 0,
  window: 0,
  target: null,
};

/** Places to open sessions at that are not open yet. */
const wanted = new Map<SessionId, number>();

/** Sessions whose reader has left the end: what they look at is kept, not what is new. */
const away = new Set<SessionId>();

export const useTimelines = create<Readonly<Record<string, TimelineState>>>(() => ({}));

function update(id: SessionId, change: (state: TimelineState) => Partial<TimelineState>): void {
  useTimelines.setState((all) => {
    const state = all[id];
    return state === undefined ? all : { [id]: { ...state, ...change(state) } };
  });
}

/** Other pages of the same journal, and what they look like. */
function refolded(state: TimelineState, change: Pick<TimelineState, 'pages' | 'hasOlder' | 'hasNewer'>) {
  // Where it does not begin at the beginning, its first run is not the first one.
  const folded = fold({ ...NOTHING_FOLDED, runs: change.hasOlder ? 1 : 0 }, eventsOf(change.pages));
  return { ...change, folded: { ...folded, entries: reuse(state.folded.entries, folded.entries) } };
}

/** Watches exactly these sessions: opens those that are new to it and lets go of the rest. */
export async function watch(ids: readonly SessionId[]): Promise<void> {
  const before = useTimelines.getState();
  const next: Record<string, TimelineState> = {};
  for (const id of ids) next[id] = before[id] ?? LOADING;
  for (const id of away) if (next[id] === undefined) away.delete(id);
  useTimelines.setState(next, true);
  // Watched first and read after it: what happens in between arrives twice and is folded once.
  const watching = await ask('watchSessions', { sessionIds: [...ids] });
  for (const id of ids) {
    if (!watching.ok) update(id, () => ({ status: 'failed', problem: watching.error.message }));
    else if (before[id]?.status !== 'ready') void open(id);
  }
}

/** The reader has left the end of a session, or has come back to it. */
export function follow(sessionId: SessionId, end: 'followed' | 'left'): void {
  if (end === 'left') away.add(sessionId);
  else away.delete(sessionId);
}

const read = (sessionId: SessionId, from: BridgeInput<'readEvents'>['from'], limit = PAGE) =>
  ask('readEvents', { sessionId, from, limit });

async function open(sessionId: SessionId): Promise<void> {
  const place = wanted.get(sessionId);
  wanted.delete(sessionId);
  if (place !== undefined) return openAround(sessionId, place);
  const result = await read(sessionId, { at: 'end' });
  update(sessionId, (state) => {
    if (!result.ok) return { status: 'failed', problem: result.error.message };
    const { events, hasMore } = result.value;
    const last = events.at(-1)?.seq ?? 0;
    // While it was loading, pushed events were only collected.
    const fresh = eventsOf(state.pages).filter((event) => event.seq > last);
    const pages = withFresh([events], state.status === 'loading' ? fresh : []);
    return {
      ...refolded(state, { pages, hasOlder: hasMore, hasNewer: false }),
      status: 'ready',
      loading: null,
      visit: state.visit + 1,
      window: state.window + 1,
      target: null,
    };
  });
}

/** Shows a session at one event: where it is loaded, at once; else what stands around it, and not what lies between. */
export function goToEvent(sessionId: SessionId, seq: number): void {
  const state = useTimelines.getState()[sessionId];
  if (state === undefined) wanted.set(sessionId, seq);
  else if (eventsOf(state.pages).some((event) => event.seq === seq)) {
    update(sessionId, ({ pages, visit }) => ({ visit: visit + 1, target: entryOf(eventsOf(pages), seq) }));
  } else void openAround(sessionId, seq);
}

async function openAround(sessionId: SessionId, seq: number): Promise<void> {
  const [before, after] = await Promise.all([
    read(sessionId, { at: 'before', seq: seq + 1 }, PAGE / 2),
    read(sessionId, { at: 'after', seq }, PAGE / 2),
  ]);
  update(sessionId, (state) => {
    if (!before.ok) return { status: 'failed', problem: before.error.message };
    if (!after.ok) return { status: 'failed', problem: after.error.message };
    const pages = [before.value.events, after.value.events].filter((page) => page.length > 0);
    return {
      ...refolded(state, { pages, hasOlder: before.value.hasMore, hasNewer: after.value.hasMore }),
      status: 'ready',
      loading: null,
      visit: state.visit + 1,
      window: state.window + 1,
      target: entryOf(eventsOf(pages), seq),
    };
  });
}

/** Back from a place in the middle to what happens now. */
export function openNewest(sessionId: SessionId): void {
  void open(sessionId);
}

/** Tries again what failed: to open the session, or to read the page that the reader came near to. */
export function retry(sessionId: SessionId): void {
  if (useTimelines.getState()[sessionId]?.status === 'ready') update(sessionId, () => ({ problem: '' }));
  else {
    update(sessionId, () => LOADING);
    void open(sessionId);
  }
}

export async function loadOlder(sessionId: SessionId): Promise<void> {
  const state = useTimelines.getState()[sessionId];
  if (state === undefined || !state.hasOlder || state.loading !== null) return;
  const first = firstSeqOf(state.pages);
  update(sessionId, () => ({ loading: 'older' }));
  const result = await read(sessionId, { at: 'before', seq: first });
  update(sessionId, (now) => {
    if (!result.ok) return { loading: null, problem: result.error.message };
    // The reader went somewhere else meanwhile.
    if (firstSeqOf(now.pages) !== first) return now.loading === 'older' ? { loading: null } : {};
    const { pages, dropped } = withOlder(now.pages, result.value.events);
    const hasNewer = now.hasNewer || dropped;
    return { loading: null, ...refolded(now, { pages, hasOlder: result.value.hasMore, hasNewer }) };
  });
}

export async function loadNewer(sessionId: SessionId): Promise<void> {
  const state = useTimelines.getState()[sessionId];
  if (state === undefined || !state.hasNewer || state.loading !== null) return;
  const last = lastSeqOf(state.pages);
  update(sessionId, () => ({ loading: 'newer' }));
  const result = await read(sessionId, { at: 'after', seq: last });
  update(sessionId, (now) => {
    if (!result.ok) return { loading: null, problem: result.error.message };
    if (lastSeqOf(now.pages) !== last) return now.loading === 'newer' ? { loading: null } : {};
    const { pages, dropped } = withNewer(now.pages, result.value.events);
    const hasOlder = now.hasOlder || dropped;
    return { loading: null, ...refolded(now, { pages, hasOlder, hasNewer: result.value.hasMore }) };
  });
}

/** Takes a frame's worth of pushed events, of whatever sessions. */
export function takeEvents(pushed: readonly JournalEvent[]): void {
  const bySession = new Map<SessionId, JournalEvent[]>();
  for (const event of pushed) {
    const list = bySession.get(event.sessionId);
    if (list === undefined) bySession.set(event.sessionId, [event]);
    else list.push(event);
  }
  for (const [id, events] of bySession) update(id, (state) => withPushed(state, id, events));
}

function withPushed(state: TimelineState, id: SessionId, pushed: readonly JournalEvent[]): Partial<TimelineState> {
  // They are read when the reader comes to them.
  if (state.hasNewer) return {};
  const last = lastSeqOf(state.pages);
  const fresh = pushed.filter((event) => event.seq > last);
  if (fresh.length === 0) return {};
  const pages = withFresh(state.pages, fresh);
  if (state.status !== 'ready') return { pages };
  const end = away.has(id) ? 'left' : 'followed';
  const { pages: kept, dropped } = bounded(pages, end);
  if (!dropped) return { pages, folded: fold(state.folded, fresh) };
  const { hasOlder } = state;
  return refolded(state, { pages: kept, hasOlder: hasOlder || end === 'followed', hasNewer: end === 'left' });
}
