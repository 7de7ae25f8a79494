import type { SessionId } from '@shared/ids';
import { SessionId as SessionIdSchema } from '@shared/ids';
import type { SessionOrigin } from '@shared/sessions';
import { z } from 'zod';
import type { SqliteDatabase } from './database';
import { derivedTitle } from './derived-title';
import { readOrigin } from './forks';

/** What stands for the title of a session that is gone. */
const GONE = 'Deleted session';

const Rows = z.array(z.object({ id: SessionIdSchema, title: z.string(), origin: z.string() }));

interface Successor {
  readonly id: SessionId;
  readonly title: string;
  readonly origin: SessionOrigin;
}

/**
 * Takes the title of a session that is being deleted, which may be its first words, out of those that come from it: out of
 * what they say of where they come from, and out of the title that a cleared one has until its first message, also of
 * what comes from that. The title of a fork of the session itself stays, like all that it took over.
 * For the transaction that marks the session.
 * @returns the sessions that were changed
 */
export function forgetTitle(database: SqliteDatabase, id: SessionId): SessionId[] {
  const successors = readSuccessors(database);
  const update = database.prepare('UPDATE sessions SET title = ?, origin = ? WHERE id = ?');
  const changed = new Set<SessionId>();
  const visit = (parent: SessionId, stale: string | null, now: string): void => {
    for (const { id: child, title, origin } of successors.get(parent) ?? []) {
      // What came from a file may say that it comes from itself.
      if (changed.has(child) || (stale !== null && origin.title !== stale)) continue;
      changed.add(child);
      const keepsAll = stale === null && origin.kind === 'fork';
      const mark = origin.kind === 'fork' ? 'fork' : 'cleared';
      const derived = { before: derivedTitle(origin.title, mark), after: derivedTitle(now, mark) };
      const isDerived = !keepsAll && title === derived.before;
      update.run(isDerived ? derived.after : title, JSON.stringify({ ...origin, title: now }), child);
      if (!keepsAll) visit(child, derived.before, derived.after);
    }
  };
  visit(id, null, GONE);
  return [...changed];
}

/** By the session that they come from. What cannot be read, or is being deleted itself, is left out. */
function readSuccessors(database: SqliteDatabase): ReadonlyMap<SessionId, readonly Successor[]> {
  const rows = database
    .prepare('SELECT id, title, origin FROM sessions WHERE origin IS NOT NULL AND deleted_at IS NULL')
    .all();
  const successors = new Map<SessionId, Successor[]>();
  for (const { origin: text, ...row } of Rows.parse(rows)) {
    const origin = readOrigin(text);
    if (origin === null) continue;
    successors.set(origin.sessionId, [...(successors.get(origin.sessionId) ?? []), { ...row, origin }]);
  }
  return successors;
}
