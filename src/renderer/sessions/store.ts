import type { BridgeError } from '@shared/bridge';
import type { SessionId } from '@shared/ids';
import type { Grant } from '@shared/requests';
import type { SessionSummary } from '@shared/sessions';
import { create } from 'zustand';
import { notifyError } from '../app/store';
import { ask } from '../ui/bridge';

const PAGE = 200;

interface SessionsState {
  /** All summaries that this window has seen, whatever the search. */
  readonly byId: ReadonlyMap<SessionId, SessionSummary>;
  /** What stands in the search box. */
  readonly typed: string;
  /** What the list answers. */
  readonly query: string;
  /** The sessions that answer the search, in the order they were listed; null while everything is shown. */
  readonly found: readonly SessionId[] | null;
  readonly hasMore: boolean;
  readonly loading: boolean;
  /** False until the first page is there: until then nobody knows whether the app is empty. */
  readonly ready: boolean;
  /** Why the list could not be read, as long as that is so. */
  readonly problem: BridgeError | null;
  readonly grants: ReadonlyMap<SessionId, readonly Grant[]>;
}

export const useSessions = create<SessionsState>(() => ({
  byId: new Map(),
  typed: '',
  query: '',
  found: null,
  hasMore: false,
  loading: false,
  ready: false,
  problem: null,
  grants: new Map(),
}));

/** The last session of the last page: where the next page goes on. */
let cursor: SessionId | null = null;
let request = 0;

function merged(sessions: readonly SessionSummary[]): ReadonlyMap<SessionId, SessionSummary> {
  const byId = new Map(useSessions.getState().byId);
  for (const session of sessions) byId.set(session.id, session);
  return byId;
}

export function takeSummaries(sessions: readonly SessionSummary[]): void {
  if (sessions.length > 0) useSessions.setState({ byId: merged(sessions) });
}

export function forgetSessions(ids: readonly SessionId[]): void {
  const gone = new Set(ids);
  useSessions.setState(({ byId, found }) => ({
    byId: new Map([...byId].filter(([id]) => !gone.has(id))),
    found: found === null ? null : found.filter((id) => !gone.has(id)),
  }));
}

export function takeGrants(sessionId: SessionId, grants: readonly Grant[]): void {
  useSessions.setState((state) => ({ grants: new Map(state.grants).set(sessionId, grants) }));
}

/** Lists from the start what answers `query`. An answer that a newer search has overtaken is dropped. */
export async function search(query: string): Promise<void> {
  const mine = ++request;
  useSessions.setState({ loading: true });
  const result = await ask('listSessions', { query: query.slice(0, 500), limit: PAGE, after: null });
  if (mine !== request) return;
  if (!result.ok) {
    useSessions.setState({ query, loading: false, ready: true, problem: result.error });
    return;
  }
  const { sessions, hasMore } = result.value;
  cursor = sessions.at(-1)?.id ?? null;
  useSessions.setState({
    byId: merged(sessions),
    query,
    found: query === '' ? null : sessions.map((session) => session.id),
    hasMore,
    loading: false,
    ready: true,
    problem: null,
  });
}

export async function loadMore(): Promise<void> {
  const { hasMore, loading, query } = useSessions.getState();
  if (!hasMore || loading || cursor === null) return;
  const mine = ++request;
  useSessions.setState({ loading: true });
  const result = await ask('listSessions', { query: query.slice(0, 500), limit: PAGE, after: cursor });
  if (mine !== request) return;
  if (!result.ok) {
    // Not asked again by itself: the scroll position would ask without end.
    useSessions.setState({ loading: false, hasMore: false });
    notifyError(result.error);
    return;
  }
  const { sessions, hasMore: more } = result.value;
  cursor = sessions.at(-1)?.id ?? cursor;
  useSessions.setState((state) => ({
    byId: merged(sessions),
    found: state.found === null ? null : [...new Set([...state.found, ...sessions.map((session) => session.id)])],
    hasMore: more && sessions.length > 0,
    loading: false,
  }));
}

/** Fetches one session that may lie outside the pages listed so far, with its grants. */
export async function loadSession(sessionId: SessionId): Promise<void> {
  const result = await ask('getSession', { sessionId });
  if (!result.ok) {
    notifyError(result.error);
    return;
  }
  takeSummaries([result.value.session]);
  takeGrants(sessionId, result.value.grants);
}
