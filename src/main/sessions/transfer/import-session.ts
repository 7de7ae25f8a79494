import type { SessionId } from '@shared/ids';
import Database from 'better-sqlite3';
import type { SqliteDatabase } from '../database';
import { SessionProblem } from '../problem';
import { SessionRemover } from '../remove-session';
import { inTheMaking, writeInSteps } from '../steps';
import {
  auditWriter,
  eventWriter,
  grantWriter,
  insertSession,
  requestWriter,
  runWriter,
  stagedEvents,
} from './import-rows';
import { emptyStaging, type Staged, stageFile } from './stage-file';

/**
 * Takes in a session from JSON Lines. Every line is checked before anything is written. Then it is written in short
 * steps, so that runs can write meanwhile, and is marked as deleted until the last of them: it is seen whole or not at
 * all, and what a kill leaves of it goes as what a deletion leaves. Its ids stay what they were, its events get the next
 * seqs, and its decisions are added to the end of this store's audit. What was remembered elsewhere is not honoured
 * here, and a mode that does not ask is not taken over: a file must not be able to let anything run.
 * @param report is told how many lines were read
 * @returns the session's id
 * @throws SessionProblem that names the line that is wrong, or says that the session is here already
 */
export async function importSession(
  database: SqliteDatabase,
  path: string,
  report: (lines: number) => void,
): Promise<SessionId> {
  emptyStaging(database);
  try {
    return await write(database, await stageFile(database, path, report));
  } finally {
    emptyStaging(database);
  }
}

async function write(database: SqliteDatabase, staged: Staged): Promise<SessionId> {
  const { id } = staged.head.session;
  const remover = new SessionRemover(database);
  if (inTheMaking(database).has(id)) throw new SessionProblem('conflict', 'This session is just being taken in.');
  inTheMaking(database).add(id);
  try {
    // What a deletion or a kill left of it: it was not to be seen any more.
    await remover.clear(id);
    const mark = Date.now();
    insertSession(database, staged, mark);
    try {
      await writeInSteps(database, staged.runs, runWriter(database, id));
      await writeInSteps(database, stagedEvents(database), eventWriter(database, id));
      await writeInSteps(database, staged.requests.values(), requestWriter(database, id));
      await writeInSteps(database, staged.grants, grantWriter(database, id, mark));
      await writeInSteps(database, staged.audit, auditWriter(database, id));
      show(database, staged, mark);
    } catch (error) {
      await remover.clear(id);
      throw error;
    }
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT')) {
      throw new SessionProblem('conflict', 'Something of this session is here already. Nothing was taken in.');
    }
    throw error;
  } finally {
    inTheMaking(database).delete(id);
  }
  return id;
}

/** The last step: the mark goes. All of it must be there still; another process clears what is marked. */
function show(database: SqliteDatabase, staged: Staged, mark: number): void {
  const { id } = staged.head.session;
  const tables = ['runs', 'events', 'requests', 'grants'];
  const counts = tables.map((table) => `(SELECT count(*) FROM ${table} WHERE session_id = @id)`).join(' + ');
  const count = database.prepare(`SELECT ${counts}`).pluck();
  const total = staged.runs.length + staged.events + staged.requests.size + staged.grants.length;
  database
    .transaction(() => {
      const unmark = database.prepare('UPDATE sessions SET deleted_at = NULL WHERE id = ? AND deleted_at = ?');
      if (unmark.run(id, mark).changes !== 1 || count.get({ id }) !== total) {
        throw new SessionProblem('conflict', 'Another Sayso cleared what was being taken in. Nothing was taken in.');
      }
    })
    .immediate();
}
