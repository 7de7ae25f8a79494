import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { BackupQueue } from '../backup-queue';
import { backupPath } from '../backups';
import { openBeside, type SqliteDatabase } from '../database';
import { forkSession } from '../fork-session';
import { makeBackup, renewBackup } from '../make-backup';
import { SessionReader } from '../reader';
import { SessionRemover } from '../remove-session';
import { measureRemoval, nameOld, oldSessions } from '../retention';
import { parseSearch } from '../search/query';
import { Search } from '../search/search';
import { readStatistics } from '../statistics';
import { isDamage, markIfDamaged, markSuspect } from '../suspect';
import { exportSession } from '../transfer/export-session';
import { importSession } from '../transfer/import-session';
import type { Progress, StoreReply, StoreRequest, StoreRequestType } from './requests';

type Handlers = {
  readonly [T in StoreRequestType]: (
    request: Extract<StoreRequest, { type: T }>,
    report: (progress: Progress) => void,
  ) => StoreReply<T> | Promise<StoreReply<T>>;
};

/** Answers the worker's requests, over a connection of its own that can only read; what changes the file has another. */
export class StoreService {
  readonly #database: SqliteDatabase;
  #writer: SqliteDatabase | null = null;
  readonly #backups = new BackupQueue();
  #imported: Promise<unknown> = Promise.resolve();
  readonly #handlers: Handlers;

  constructor(private readonly file: string) {
    this.#database = new Database(file, { readonly: true, fileMustExist: true, timeout: 5_000 });
    this.#database.pragma('trusted_schema = OFF');
    const reader = new SessionReader(this.#database);
    const search = new Search(this.#database);
    this.#handlers = {
      list: ({ input }) => reader.list(input),
      search: ({ input: { query, before, limit } }) => {
        const parsed = parseSearch(query, Date.now());
        if (!parsed.ok) return { kind: 'problem', at: parsed.at, problem: parsed.problem };
        return { kind: 'hits', ...search.find(parsed.query, { before, limit }) };
      },
      'run-sandbox': ({ input }) => ({ sandbox: reader.runSandbox(input) }),
      measure: ({ sessionIds }) => measureRemoval(this.#database, sessionIds),
      old: ({ olderThanDays }) => {
        const sessionIds = oldSessions(this.#database, olderThanDays, Date.now());
        const removal = measureRemoval(this.#database, sessionIds);
        return { sessionIds, removal, first: nameOld(this.#database, sessionIds) };
      },
      delete: async ({ sessionIds, olderThanDays }, report) => {
        const remover = new SessionRemover(this.#writing());
        return await remover.remove(sessionIds, (done) => report({ done, total: null }), olderThanDays);
      },
      'finish-deleting': async (_request, report) => {
        const remover = new SessionRemover(this.#writing());
        return { logEmptied: await remover.finish((done) => report({ done, total: null })) };
      },
      fork: async ({ type: _, ...input }) => {
        await forkSession(this.#writing(), input);
        return {};
      },
      export: async ({ type: _, ...input }, report) => ({
        events: await exportSession(this.#database, input, (done, total) => report({ done, total })),
      }),
      import: async ({ path }, report) => {
        // One after the other: they read their lines into the same table.
        const imported = this.#imported.then(() =>
          importSession(this.#writing(), path, (done) => report({ done, total: null })),
        );
        this.#imported = imported.catch(() => {});
        return { sessionId: await imported };
      },
      backup: async ({ path }, report) => {
        const make = path === backupPath(dirname(this.file)) ? renewBackup : makeBackup;
        await this.#backups.add(path, () => make(this.#database, path, (done, total) => report({ done, total })));
        return {};
      },
      statistics: ({ since }) => readStatistics(this.#database, since),
      check: () => ({ verdict: this.#check() }),
    };
  }

  /**
   * Whatever finds damage on its way leaves the mark for the next start.
   * @throws SessionProblem and whatever the store throws
   */
  async answer(request: StoreRequest, report: (progress: Progress) => void): Promise<unknown> {
    const handler = this.#handlers[request.type] as (
      request: StoreRequest,
      report: (progress: Progress) => void,
    ) => unknown;
    try {
      return await handler(request, report);
    } catch (error) {
      markIfDamaged(this.file, error);
      throw error;
    }
  }

  close(): void {
    this.#database.close();
    this.#writer?.close();
  }

  #check(): string {
    let verdict: string;
    try {
      verdict = String(this.#database.pragma('quick_check(1)', { simple: true }));
    } catch (error) {
      if (!isDamage(error)) throw error;
      verdict = error.message;
    }
    if (verdict !== 'ok') markSuspect(this.file, verdict);
    return verdict;
  }

  #writing(): SqliteDatabase {
    this.#writer ??= openBeside(this.file);
    return this.#writer;
  }
}
