import type { EventBody, JournalEvent } from '@shared/events';
import type { RunId, SessionId } from '@shared/ids';
import type { SessionOrigin, SessionSummary } from '@shared/sessions';
import { isTerminal } from '@shared/states';
import type { SqliteDatabase } from './database';
import { readRequestRow, readSessionRow } from './rows';
import { searchEntry } from './search/search-entry';
import { foldSummary } from './summary';
import { markIfDamaged } from './suspect';

/**
 * `durable` survives a power cut: decisions, call starts, results. `batched` survives kill -9, and is for streamed text
 * that comes many times a second.
 */
export type Durability = 'durable' | 'batched';

export interface RunRef {
  readonly sessionId: SessionId;
  readonly runId: RunId;
}

export interface Appended {
  readonly events: readonly JournalEvent[];
  readonly session: SessionSummary;
}

/** A session as it is made: everything of its summary that no event tells. */
export type NewSession = Pick<
  SessionSummary,
  'id' | 'title' | 'agentId' | 'agent' | 'provider' | 'model' | 'workspace' | 'mode'
> & {
  readonly fingerprint: string;
  readonly origin?: SessionOrigin;
};

/**
 * The append-only log. Every change of a session goes through `append`, in one transaction with whatever else must be
 * true together with it; only after the commit are the listeners told, so nothing is shown that is not on record.
 */
export class Journal {
  readonly #listeners = new Set<(appended: Appended) => void>();
  readonly #statements;

  constructor(private readonly database: SqliteDatabase) {
    this.#statements = {
      session: database.prepare('SELECT * FROM sessions WHERE id = ?'),
      insertSession: database.prepare(`
        INSERT INTO sessions (id, title, agent_id, agent, provider, model, workspace, mode, fingerprint, state, detail,
          created_at, updated_at, turns, tokens, cost_usd, working_ms, open_requests, next_expiry_at, origin)
        VALUES (@id, @title, @agentId, @agent, @provider, @model, @workspace, @mode, @fingerprint, 'starting', 'starting',
          @at, @at, 0, 0, NULL, 0, 0, NULL, @origin)`),
      updateSession: database.prepare(`
        UPDATE sessions SET model = @model, mode = @mode, workspace = @workspace, state = @state, detail = @detail,
          updated_at = @updatedAt, turns = @turns, tokens = @tokens, cost_usd = @costUsd, working_ms = @workingMs,
          waiting_ms = @waitingMs, approved = @approved, denied = @denied,
          open_requests = (SELECT count(*) FROM requests WHERE session_id = @id AND state = 'pending'),
          next_expiry_at = (SELECT min(expires_at) FROM requests WHERE session_id = @id AND state = 'pending')
        WHERE id = @id RETURNING *`),
      insertEvent: database.prepare(
        'INSERT INTO events (session_id, run_id, at, type, body) VALUES (?, ?, ?, ?, ?) RETURNING seq',
      ),
      insertText: database.prepare('INSERT INTO event_search (rowid, text, facets) VALUES (?, ?, ?)'),
      request: database.prepare('SELECT body FROM requests WHERE id = ?'),
      insertRun: database.prepare('INSERT INTO runs (id, session_id, started_at, state) VALUES (?, ?, ?, ?)'),
      endRun: database.prepare('UPDATE runs SET ended_at = ?, state = ? WHERE id = ? AND ended_at IS NULL'),
      goOn: database.prepare(
        'UPDATE sessions SET agent_id = @agentId, agent = @agent, fingerprint = @fingerprint, taken_in_at = NULL WHERE id = @id',
      ),
      title: database.prepare('UPDATE sessions SET title = ? WHERE id = ? AND deleted_at IS NULL RETURNING *'),
      pin: database.prepare('UPDATE sessions SET pinned = ? WHERE id = ? AND deleted_at IS NULL RETURNING *'),
    };
  }

  /** Calls back after every commit; returns a function that ends it. A listener must not throw. */
  onAppend(listener: (appended: Appended) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Makes a session together with the first events of its journal: there is no session without a start.
   * @param also runs in the same transaction, when the session is there
   */
  createSession(session: NewSession, runId: RunId, bodies: readonly EventBody[], also?: () => void): Appended {
    const ref: RunRef = { sessionId: session.id, runId };
    const origin = session.origin === undefined ? null : JSON.stringify(session.origin);
    return this.append(ref, bodies, 'durable', () => {
      this.#statements.insertSession.run({ ...session, origin, at: Date.now() });
      also?.();
    });
  }

  /** What the session goes on with from now on; for `also`, together with the start of its run. */
  setAgent(sessionId: SessionId, agent: Pick<NewSession, 'agentId' | 'agent' | 'fingerprint'>): void {
    this.#statements.goOn.run({ ...agent, id: sessionId });
  }

  /** Gives a session another title; false where there is none of that id. */
  rename(sessionId: SessionId, title: string): boolean {
    return this.#announce(this.#statements.title.get(title, sessionId));
  }

  /** Keeps a session at the top of the ended ones, or no longer; false where there is none of that id. */
  pin(sessionId: SessionId, pinned: 'pinned' | 'loose'): boolean {
    return this.#announce(this.#statements.pin.get(pinned === 'pinned' ? 1 : 0, sessionId));
  }

  /** Tells the listeners of a session that somebody else put into the store: a fork, an import. */
  announce(sessionId: SessionId): boolean {
    return this.#announce(this.#statements.session.get(sessionId));
  }

  #announce(row: unknown): boolean {
    if (row === undefined) return false;
    const appended: Appended = { events: [], session: readSessionRow(row) };
    for (const listener of this.#listeners) listener(appended);
    return true;
  }

  /**
   * Appends events to one session's journal. `also` runs first, in the same transaction; if it throws, nothing of either
   * happens.
   * @throws whatever `also` or the database throws
   */
  append(ref: RunRef, bodies: readonly EventBody[], durability: Durability, also?: () => void): Appended {
    this.database.pragma(durability === 'durable' ? 'synchronous = FULL' : 'synchronous = NORMAL');
    const append = this.database.transaction(() => {
      also?.();
      let session = readSessionRow(this.#statements.session.get(ref.sessionId));
      const { agent } = session;
      const events = bodies.map((body) => this.#insert(ref, agent, body));
      for (const event of events) session = foldSummary(session, event);
      return { events, session: readSessionRow(this.#statements.updateSession.get(session)) };
    });
    // It takes the lock first: whoever reads before may not wait for it, and fails where the worker writes just now.
    const appended = this.#noting(() => append.immediate());
    for (const listener of this.#listeners) listener(appended);
    return appended;
  }

  /** What shows that the store is damaged is noted for the next start. */
  #noting<T>(write: () => T): T {
    try {
      return write();
    } catch (error) {
      markIfDamaged(this.database.name, error);
      throw error;
    }
  }

  #insert(ref: RunRef, agent: string, body: EventBody): JournalEvent {
    const at = Date.now();
    if (body.type === 'run_started') this.#statements.insertRun.run(ref.runId, ref.sessionId, at, 'starting');
    if (body.type === 'run_ended' && isTerminal(body.state)) this.#statements.endRun.run(at, body.state, ref.runId);
    const row = this.#statements.insertEvent.get(ref.sessionId, ref.runId, at, body.type, JSON.stringify(body));
    const { seq } = row as { seq: number };
    const request = (id: string) => readRequestRow(this.#statements.request.get(id));
    const found = searchEntry(body, { agent, at, request });
    if (found !== null) this.#statements.insertText.run(seq, found.text, found.facets);
    return { seq, sessionId: ref.sessionId, runId: ref.runId, at, body };
  }
}
