import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { SessionId } from '@shared/ids';
import type { SqliteDatabase } from './database';
import { forkParents } from './forks';

/**
 * How many sessions would stay that were forked from these, or from such a fork: each keeps what it took over. A chain of
 * forks with a deleted one in it is followed as far as that one.
 */
export function forksThatStay(database: SqliteDatabase, ids: readonly SessionId[]): number {
  const parents = forkParents(database);
  const going: ReadonlySet<SessionId> = new Set(ids);
  return [...parents.keys()].filter((id) => !going.has(id) && comesFrom(id, parents, going)).length;
}

function comesFrom(id: SessionId, parents: ReadonlyMap<SessionId, SessionId>, going: ReadonlySet<SessionId>): boolean {
  // What came from a file may say that it comes from itself.
  const seen = new Set<SessionId>();
  for (let at = parents.get(id); at !== undefined && !seen.has(at); at = parents.get(at)) {
    if (going.has(at)) return true;
    seen.add(at);
  }
  return false;
}

const ASIDE = /^\.(?:before-version|damaged|rescued)-(?!.*(?:-wal|-shm|\.suspect|\.stale-backup)$)/u;

/** The names of the stores that an update, a recovery or a rescue put beside this one: nothing is taken out of those. */
export function storesAside(file: string): string[] {
  const name = basename(file);
  return readdirSync(dirname(file))
    .filter((entry) => entry.startsWith(name) && ASIDE.test(entry.slice(name.length)))
    .sort();
}
