import type { JournalEvent } from '@shared/events';
import type { SessionId } from '@shared/ids';
import { fold } from './fold';
import { bounded, firstSeqOf, lastSeqOf, withFresh, withNewer, withOlder } from './pages';
import { read, refolded, type TimelineState, update, useTimelines } from './state';

/** Sessions whose reader has left the end: what they look at is kept, not what is new. */
const away = new Set<SessionId>();

/** The reader has left the end of a session, or has come back to it, or it is shown no more. */
export function follow(sessionId: SessionId, end: 'followed' | 'left'): void {
  if (end === 'left') away.add(sessionId);
  else away.delete(sessionId);
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
