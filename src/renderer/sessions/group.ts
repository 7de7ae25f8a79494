import type { SessionSummary } from '@shared/sessions';
import { isTerminal } from '@shared/states';

export const GROUPS = ['Needs you', 'Working', 'Pinned', 'Today', 'Yesterday', 'Earlier'] as const;
export type GroupName = (typeof GROUPS)[number];

export type Row =
  | { readonly kind: 'group'; readonly name: GroupName; readonly count: number; readonly more: boolean }
  | { readonly kind: 'session'; readonly session: SessionSummary };

/** The first moment of the day that `now` lies in, and of the day before, on the operator's clock. */
export function dayStarts(now: number): { readonly today: number; readonly yesterday: number } {
  const date = new Date(now);
  const today = new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const yesterday = new Date(date.getFullYear(), date.getMonth(), date.getDate() - 1).getTime();
  return { today, yesterday };
}

export function groupOf(session: SessionSummary, starts: ReturnType<typeof dayStarts>): GroupName {
  if (session.openRequests > 0 || session.state === 'waiting') return 'Needs you';
  if (!isTerminal(session.state)) return 'Working';
  if (session.pinned) return 'Pinned';
  if (session.updatedAt >= starts.today) return 'Today';
  return session.updatedAt >= starts.yesterday ? 'Yesterday' : 'Earlier';
}

/** The sidebar's rows: most urgent first among those that wait, newest first among all others. */
export function groupSessions(sessions: Iterable<SessionSummary>, now: number, hasMore: boolean): readonly Row[] {
  const starts = dayStarts(now);
  const groups: Record<GroupName, SessionSummary[]> = {
    'Needs you': [],
    Working: [],
    Pinned: [],
    Today: [],
    Yesterday: [],
    Earlier: [],
  };
  for (const session of sessions) groups[groupOf(session, starts)].push(session);
  groups['Needs you'].sort(
    (a, b) => (a.nextExpiryAt ?? Number.MAX_SAFE_INTEGER) - (b.nextExpiryAt ?? Number.MAX_SAFE_INTEGER),
  );
  // By their start, not their last event: working sessions would change places at every word otherwise.
  groups.Working.sort((a, b) => b.createdAt - a.createdAt);
  for (const name of ['Pinned', 'Today', 'Yesterday', 'Earlier'] as const)
    groups[name].sort((a, b) => b.updatedAt - a.updatedAt);

  const rows: Row[] = [];
  const last = GROUPS.findLast((name) => groups[name].length > 0);
  for (const name of GROUPS) {
    const members = groups[name];
    if (members.length === 0) continue;
    rows.push({ kind: 'group', name, count: members.length, more: hasMore && name === last });
    for (const session of members) rows.push({ kind: 'session', session });
  }
  return rows;
}
