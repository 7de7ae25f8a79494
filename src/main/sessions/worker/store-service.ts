import Database from 'better-sqlite3';
import type { SqliteDatabase } from '../database';
import { SessionReader } from '../reader';
import { parseSearch } from '../search/query';
import { Search } from '../search/search';
import type { Progress, StoreReply, StoreRequest, StoreRequestType } from './requests';

type Handlers = {
  readonly [T in StoreRequestType]: (
    request: Extract<StoreRequest, { type: T }>,
    report: (progress: Progress) => void,
  ) => StoreReply<T> | Promise<StoreReply<T>>;
};

/** Answers the worker's requests, over a connection of its own that can only read. */
export class StoreService {
  readonly #database: SqliteDatabase;
  readonly #handlers: Handlers;

  constructor(file: string) {
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
      check: () => ({ verdict: String(this.#database.pragma('quick_check(1)', { simple: true })) }),
    };
  }

  /** @throws SessionProblem and whatever the store throws */
  async answer(request: StoreRequest, report: (progress: Progress) => void): Promise<unknown> {
    const handler = this.#handlers[request.type] as (
      request: StoreRequest,
      report: (progress: Progress) => void,
    ) => unknown;
    return handler(request, report);
  }

  close(): void {
    this.#database.close();
  }
}
