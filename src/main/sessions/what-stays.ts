import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { SessionId } from '@shared/ids';
import { SessionOrigin } from '@shared/sessions';
import { z } from 'zod';
import type { SqliteDatabase } from './database';

const Origins = z.array(z.object({ id: z.string(), origin: z.string() }));

/**
 * How many sessions would stay that were forked from these, or from such a fork: each keeps what it took over. A chain of
 * forks with a deleted one in it is followed as far as that one.
 */
export function forksOf(database: SqliteDatabase, ids: readonly SessionId[]): number {
  const rows = database
    .prepare('SELECT id, origin FROM sessions WHERE origin IS NOT NULL AND deleted_at IS NULL')
    .all();
  const parents = new Map(
    Origins.parse(rows).flatMap(({ id, origin }) => {
      const parent = parentOf(origin);
      return parent === null ? [] : [[id, parent] as const];
    }),
  );
  const going: ReadonlySet<string> = new Set(ids);
  return [...parents.keys()].filter((id) => !going.has(id) && comesFrom(id, parents, going)).length;
}

/** null for what is no fork, or cannot be read. */
function parentOf(origin: string): string | null {
  try {
    const { kind, sessionId } = SessionOrigin.parse(JSON.parse(origin));
    return kind === 'fork' ? sessionId : null;
  } catch {
    return null;
  }
}

function comesFrom(id: string, parents: ReadonlyMap<string, string>, going: ReadonlySet<string>): boolean {
  // What came from a file may say that it comes from itself.
  const seen = new Set<string>();
  for (let at = parents.get(id); at !== undefined && !seen.has(at); at = parents.get(at)) {
    if (going.has(at)) return true;
    seen.add(at);
  }
  return false;
}

const ASIDE = /^\.(?:before-version|damaged|rescued)-(?!.*-(?:wal|shm)$)/u;

/** The names of the stores that an update, a recovery or a rescue put beside this one: nothing is taken out of those. */
export function storesAside(file: string): string[] {
  const name = basename(file);
  return readdirSync(dirname(file))
    .filter((entry) => entry.startsWith(name) && ASIDE.test(entry.slice(name.length)))
    .sort();
}
