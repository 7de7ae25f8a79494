import type { SessionId } from '@shared/ids';
import { ask } from '../ui/bridge';
import { eventsOf, PAGE, type Pages, withFresh } from './pages';
import { follow } from './paging';
import { entryOf } from './places';
import { LOADING, type Place, read, refolded, type TimelineState, update, useTimelines } from './state';

/** Places to open sessions at that are not open yet. */
const wanted = new Map<SessionId, number>();

/** Watches exactly these sessions: opens those that are new to it and lets go of the rest. */
export async function watch(ids: readonly SessionId[]): Promise<void> {
  const before = useTimelines.getState();
  const next: Record<string, TimelineState> = {};
  for (const id of ids) next[id] = before[id] ?? LOADING;
  for (const id of Object.keys(before) as SessionId[]) if (next[id] === undefined) follow(id, 'followed');
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
  const result = await read(sessionId, { at: 'end' });
  update(sessionId, (state) => {
    if (!result.ok) return { status: 'failed', problem: result.error.message };
    const { events, hasMore } = result.value;
    const last = events.at(-1)?.seq ?? 0;
    // While it was loading, pushed events were only collected.
    const fresh = eventsOf(state.pages).filter((event) => event.seq > last);
    const pages = withFresh([events], state.status === 'loading' ? fresh : []);
    return visited(state, { pages, hasOlder: hasMore, hasNewer: false }, 'end');
  });
}

/** A place in other pages than those that were loaded. */
function visited(
  state: TimelineState,
  loaded: Pick<TimelineState, 'pages' | 'hasOlder' | 'hasNewer'>,
  place: Place,
): Partial<TimelineState> {
  const [visit, window] = [state.visit + 1, state.window + 1];
  return { ...refolded(state, loaded), status: 'ready', loading: null, visit, window, place };
}

/** Shows a session at one event: where it is loaded, at once; else what stands around it, and not what lies between. */
export function goToEvent(sessionId: SessionId, seq: number): void {
  const state = useTimelines.getState()[sessionId];
  if (state === undefined) wanted.set(sessionId, seq);
  else if (eventsOf(state.pages).some((event) => event.seq === seq)) {
    update(sessionId, ({ pages, visit }) => ({ visit: visit + 1, place: placeOf(pages, seq) }));
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
    const [hasOlder, hasNewer] = [before.value.hasMore, after.value.hasMore];
    return visited(state, { pages, hasOlder, hasNewer }, placeOf(pages, seq));
  });
}

function placeOf(pages: Pages, seq: number): Place {
  const entry = entryOf(eventsOf(pages), seq);
  return entry === null ? 'end' : { entry };
}

/** Goes to the beginning of the journal. */
export async function openOldest(sessionId: SessionId): Promise<void> {
  const result = await read(sessionId, { at: 'after', seq: 0 });
  update(sessionId, (state) => {
    if (!result.ok) return { problem: result.error.message };
    const { events, hasMore } = result.value;
    return visited(state, { pages: [events], hasOlder: false, hasNewer: hasMore }, 'start');
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
