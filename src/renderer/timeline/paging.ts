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

/** How a page is read beside what is loaded: from which end of it, and what has to be let go of at the other one. */
const SIDES = {
  older: { has: 'hasOlder', other: 'hasNewer', from: 'before', edge: firstSeqOf, join: withOlder },
  newer: { has: 'hasNewer', other: 'hasOlder', from: 'after', edge: lastSeqOf, join: withNewer },
} as const;

/** Reads the page beside those that are loaded, if there is one. */
export async function loadMore(sessionId: SessionId, side: keyof typeof SIDES): Promise<void> {
  const { has, other, from, edge, join } = SIDES[side];
  const state = useTimelines.getState()[sessionId];
  if (state === undefined || !state[has] || state.loading !== null) return;
  const seq = edge(state.pages);
  update(sessionId, () => ({ loading: side }));
  const result = await read(sessionId, { at: from, seq });
  update(sessionId, (now) => {
    if (!result.ok) return { loading: null, problem: result.error.message };
    // The reader went somewhere else meanwhile.
    if (edge(now.pages) !== seq) return now.loading === side ? { loading: null } : {};
    const { pages, dropped } = join(now.pages, result.value.events);
    const { hasOlder, hasNewer } = now;
    const ends = { hasOlder, hasNewer, [has]: result.value.hasMore, [other]: now[other] || dropped };
    return { loading: null, ...refolded(now, { pages, ...ends }) };
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
