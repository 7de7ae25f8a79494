import type { EventBody } from '@shared/events';
import type { CallId, RequestId, RunId, SessionId } from '@shared/ids';
import type { Answer, Grant, Request, Settlement } from '@shared/requests';
import { Settlement as SettlementSchema } from '@shared/requests';
import type { SqliteDatabase } from '../sessions/database';
import type { Journal } from '../sessions/journal';
import { parseJson, readRequestRow } from '../sessions/rows';
import { checkAnswer, settlementOf } from './answers';
import type { Audit } from './audit';
import type { Grants } from './grants';
import type { Rememberable } from './remember';

/** Why an answer was not accepted. Nothing changed. */
export class AnswerRefused extends Error {
  override readonly name = 'AnswerRefused';
  constructor(
    readonly code: 'not-found' | 'conflict' | 'refused',
    message: string,
  ) {
    super(message);
  }
}

interface Waiting {
  readonly request: Request;
  readonly call: Rememberable | null;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (settlement: Settlement) => void;
}

/**
 * Every open request of every run. A request is on record before it is shown, and is settled exactly once: by the one
 * UPDATE that finds it pending. Whoever waits for it is told only what that transaction wrote.
 */
export class Inbox {
  readonly #waiting = new Map<RequestId, Waiting>();
  readonly #listeners = new Set<() => void>();
  readonly #statements;

  constructor(
    database: SqliteDatabase,
    private readonly journal: Journal,
    private readonly grants: Grants,
    private readonly audit: Audit,
    /** For what goes wrong where nobody waits to be told: the store, or a listener. */
    private readonly onStoreError: (error: unknown) => void,
  ) {
    this.#statements = {
      insert: database.prepare(
        `INSERT INTO requests (id, session_id, run_id, body, state, created_at, expires_at)
         VALUES (?, ?, ?, ?, 'pending', ?, ?)`,
      ),
      settle: database.prepare(
        "UPDATE requests SET state = ?, settled_at = ?, settlement = ? WHERE id = ? AND state = 'pending'",
      ),
      byId: database.prepare('SELECT state, settlement FROM requests WHERE id = ?'),
      pending: database.prepare(`SELECT id, session_id, body FROM requests WHERE state = 'pending'
        AND session_id IN (SELECT id FROM sessions WHERE deleted_at IS NULL)`),
    };
  }

  /** Calls back whenever the list of open requests changed. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The open requests, the one with the least time left first. */
  open(): Request[] {
    return [...this.#waiting.values()]
      .map(({ request }) => request)
      .sort((a, b) => a.expiresAt - b.expiresAt || a.createdAt - b.createdAt);
  }

  /** What remembering an open request would cover; null where it is not open or is a question. */
  rememberable(id: RequestId): { readonly request: Request; readonly call: Rememberable } | null {
    const waiting = this.#waiting.get(id);
    return waiting === undefined || waiting.call === null ? null : { request: waiting.request, call: waiting.call };
  }

  /**
   * Puts a request on record and waits until it is settled. Never rejects once it is on record.
   * @param call what remembering an approval would cover; null for a question, and where nothing is to be remembered
   * @throws whatever the store throws: then nothing was asked, and nothing may run
   */
  ask(request: Request, call: Rememberable | null): Promise<Settlement> {
    return new Promise((resolve, reject) => {
      const { id, sessionId, runId } = request;
      const timer = setTimeout(() => this.#expire(id), Math.max(0, request.expiresAt - Date.now()));
      this.#waiting.set(id, { request, call, timer, resolve });
      try {
        this.journal.append({ sessionId, runId }, [{ type: 'request_opened', request }], 'durable', () => {
          this.#statements.insert.run(
            id,
            sessionId,
            runId,
            JSON.stringify(request),
            request.createdAt,
            request.expiresAt,
          );
        });
      } catch (error) {
        clearTimeout(timer);
        this.#waiting.delete(id);
        reject(error);
        return;
      }
      this.#changed();
    });
  }

  /**
   * The operator's answer. The digest must be the one that was shown.
   * @throws AnswerRefused when the request is not open, the digest is another, or the answer does not fit
   */
  answer(id: RequestId, digest: string, answer: Answer): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) throw this.#notOpen(id);
    const { request } = waiting;
    if (digest !== request.digest) {
      throw new AnswerRefused('refused', 'What you answered is not what this request would run now. Read it again.');
    }
    // The timer may be late, after the machine slept: the deadline is what was shown.
    if (Date.now() >= request.expiresAt) {
      this.#expire(id);
      throw this.#notOpen(id);
    }
    const wrong = checkAnswer(request, answer);
    if (wrong !== null) throw new AnswerRefused('refused', wrong);
    const grant = this.#grantFor(waiting, answer);
    const settlement = settlementOf(answer, grant?.id);
    if (!this.#settle(waiting, settlement, grant)) throw this.#notOpen(id);
    if (grant !== null) this.#release(grant);
  }

  /** Settles a request as failed, because whoever was to answer it could not; nothing where it is not open any more. */
  fail(id: RequestId, reason: string): void {
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) this.#settleQuietly(waiting, { outcome: 'failed', by: 'app', reason });
  }

  /** Settles all requests of a run that ends without them: nothing of them is carried out. */
  settleRun(runId: RunId, outcome: 'stopped' | 'interrupted'): void {
    const settlement: Settlement = { outcome, by: outcome === 'stopped' ? 'run' : 'app' };
    for (const waiting of [...this.#waiting.values()]) {
      if (waiting.request.runId === runId) this.#settleQuietly(waiting, settlement);
    }
  }

  /** Settles what a call that has ended still asks: an answer would be for nothing. */
  settleCall(runId: RunId, callId: CallId): void {
    for (const { request } of [...this.#waiting.values()]) {
      if (request.runId === runId && request.callId === callId) {
        this.fail(request.id, 'the call that asked was over before an answer');
      }
    }
  }

  /** Settles what a crash left open, as interrupted, of these sessions: called when the app starts, before any run. */
  settleLeftovers(concerns: (sessionId: SessionId) => boolean = () => true): void {
    const settlement: Settlement = { outcome: 'interrupted', by: 'app' };
    for (const row of this.#statements.pending.all()) {
      const { session_id: sessionId } = row as { session_id: SessionId };
      if (!concerns(sessionId)) continue;
      const request = readRequestRow(row);
      try {
        if (request !== null && this.#write(request, settlement, null)) continue;
      } catch (error) {
        this.onStoreError(error);
      }
      // A request or a session that cannot be read: nobody can be asked, and it must not keep the app from starting.
      this.#statements.settle.run('interrupted', Date.now(), JSON.stringify(settlement), Object(row).id);
    }
  }

  #expire(id: RequestId): void {
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) this.#settleQuietly(waiting, { outcome: 'expired', by: 'clock' });
  }

  /** For those who have nobody to tell of a store that fails: whoever waits has been told `failed` by then. */
  #settleQuietly(waiting: Waiting, settlement: Settlement): void {
    try {
      this.#settle(waiting, settlement, null);
    } catch (error) {
      this.onStoreError(error);
    }
  }

  /**
   * A new grant answers the matching requests that already wait; an exact one has none but its own. What was approved
   * before and has changed since is asked about in any case, and so is what the agent file does not allow.
   */
  #release(grant: Grant): void {
    if (grant.match.scope === 'exact') return;
    for (const waiting of [...this.#waiting.values()]) {
      const { call, request } = waiting;
      if (call === null || request.kind !== 'approval' || request.changed !== null) continue;
      if (request.gatedBy.because === 'wider') continue;
      if (!this.grants.applies(grant, request.sessionId, call)) continue;
      this.#settleQuietly(waiting, { outcome: 'approved', by: 'grant', grantId: grant.id });
    }
  }

  #grantFor({ request, call }: Waiting, answer: Answer): Grant | null {
    if (answer.type !== 'approve' || answer.remember === null) return null;
    const grant =
      call === null ? null : this.grants.draft(request.sessionId, call, answer.remember, answer.forMs ?? null);
    if (grant === null) throw new AnswerRefused('refused', 'This approval cannot be remembered that way.');
    return grant;
  }

  /**
   * The one way in which a wait ends.
   * @throws whatever the store throws; whoever waits is then told `failed`, and runs nothing
   */
  #settle(waiting: Waiting, settlement: Settlement, grant: Grant | null): boolean {
    let outcome: Settlement = { outcome: 'failed', by: 'app' };
    try {
      const settled = this.#write(waiting.request, settlement, grant);
      outcome = settled ? settlement : this.#recorded(waiting.request.id);
      return settled;
    } finally {
      clearTimeout(waiting.timer);
      this.#waiting.delete(waiting.request.id);
      waiting.resolve(outcome);
      this.#changed();
    }
  }

  #write(request: Request, settlement: Settlement, grant: Grant | null): boolean {
    const { id, sessionId, runId, callId } = request;
    const at = Date.now();
    const afterMs = Math.max(0, at - request.createdAt);
    const events: EventBody[] = [{ type: 'request_settled', requestId: id, callId, settlement, afterMs }];
    if (grant !== null) events.push({ type: 'grant_given', grant });
    try {
      this.journal.append({ sessionId, runId }, events, 'durable', () => {
        const { changes } = this.#statements.settle.run(settlement.outcome, at, JSON.stringify(settlement), id);
        if (changes !== 1) throw new AlreadySettled();
        this.audit.add(request, settlement, at);
        if (grant !== null) this.grants.insert(grant);
      });
      return true;
    } catch (error) {
      if (error instanceof AlreadySettled) return false;
      throw error;
    }
  }

  /** What the store says of a request that somebody else settled; if it says nothing that can be read, it failed. */
  #recorded(id: RequestId): Settlement {
    const row = this.#statements.byId.get(id) as { settlement?: unknown } | undefined;
    const parsed = SettlementSchema.safeParse(
      typeof row?.settlement === 'string' ? parseJson(row.settlement) : undefined,
    );
    return parsed.success ? parsed.data : { outcome: 'failed', by: 'app' };
  }

  #notOpen(id: RequestId): AnswerRefused {
    const row = this.#statements.byId.get(id) as { state?: unknown } | undefined;
    if (row === undefined) return new AnswerRefused('not-found', 'There is no such request. Nothing was run.');
    const how = row.state === 'expired' ? 'expired: nobody answered in time' : `settled before (${String(row.state)})`;
    return new AnswerRefused('conflict', `This request has ${how}. Your answer changed nothing.`);
  }

  /** What goes wrong with showing the inbox changes nothing of what is in it, nor of what its answers come to. */
  #changed(): void {
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (error) {
        this.onStoreError(error);
      }
    }
  }
}

class AlreadySettled extends Error {}
