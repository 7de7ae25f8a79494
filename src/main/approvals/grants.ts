import { randomUUID } from 'node:crypto';
import { GrantId, type SessionId } from '@shared/ids';
import type { Grant } from '@shared/requests';
import type { RememberScope } from '@shared/states';
import type { SqliteDatabase } from '../sessions/database';
import type { Journal, RunRef } from '../sessions/journal';
import { readGrantRow, readGrantRows } from '../sessions/rows';
import { covers, grantMatch, type Rememberable, rememberOptions } from './remember';

/**
 * Remembered approvals. They live in the store; those of scope `agent` are revoked when the app starts anew, which is
 * what "until the app quits" means even after a crash.
 */
export class Grants {
  readonly #statements;
  readonly #revokedListeners = new Set<(grant: Grant) => void>();

  constructor(
    database: SqliteDatabase,
    private readonly journal: Journal,
  ) {
    this.#statements = {
      insert: database.prepare(
        'INSERT INTO grants (id, session_id, match, covers, created_at, expires_at, uses) VALUES (?, ?, ?, ?, ?, ?, 0)',
      ),
      live: database.prepare('SELECT * FROM grants WHERE revoked_at IS NULL ORDER BY created_at'),
      ofSession: database.prepare('SELECT * FROM grants WHERE session_id = ? ORDER BY created_at'),
      byId: database.prepare('SELECT * FROM grants WHERE id = ?'),
      use: database.prepare(
        'UPDATE grants SET uses = uses + 1 WHERE id = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)',
      ),
      revoke: database.prepare('UPDATE grants SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL'),
      lastRun: database.prepare('SELECT run_id FROM events WHERE session_id = ? ORDER BY seq DESC LIMIT 1').pluck(),
    };
  }

  /** Calls back with every grant that was revoked. */
  onRevoked(listener: (grant: Grant) => void): () => void {
    this.#revokedListeners.add(listener);
    return () => this.#revokedListeners.delete(listener);
  }

  /** The first grant that covers this call, or null. */
  find(sessionId: SessionId, call: Rememberable): Grant | null {
    return this.#live().find((grant) => this.applies(grant, sessionId, call)) ?? null;
  }

  /** Whether one grant covers a call of a session. */
  applies(grant: Grant, sessionId: SessionId, call: Rememberable): boolean {
    const here = grant.match.scope === 'agent' || grant.sessionId === sessionId;
    const { expiresAt, revokedAt } = grant;
    const stands = revokedAt === null && (expiresAt === null || expiresAt > Date.now());
    return here && stands && covers(grant.match, call);
  }

  /** Grants of a session, and the agent-wide ones that reach into it; the revoked ones with the time it happened. */
  list(sessionId: SessionId, agentId: string): Grant[] {
    const own = readGrantRows(this.#statements.ofSession.all(sessionId));
    const reaching = this.#live().filter(
      ({ match, sessionId: from }) => match.scope === 'agent' && match.agentId === agentId && from !== sessionId,
    );
    return [...own, ...reaching];
  }

  /** The grants of one session that still stand. */
  standing(sessionId: SessionId): Grant[] {
    return this.#live().filter(
      ({ sessionId: from, expiresAt }) => from === sessionId && (expiresAt === null || expiresAt > Date.now()),
    );
  }

  /**
   * A grant not yet on record; `insert` writes it, in the transaction of the answer that gives it.
   * @param forMs how long it lasts; null for as long as its scope does
   */
  draft(sessionId: SessionId, call: Rememberable, scope: RememberScope, forMs: number | null): Grant | null {
    const option = rememberOptions(call).find((candidate) => candidate.scope === scope);
    if (option === undefined) return null;
    const createdAt = Date.now();
    return {
      id: GrantId.parse(randomUUID()),
      sessionId,
      match: grantMatch(call, scope),
      covers: option.covers,
      createdAt,
      expiresAt: forMs === null ? null : createdAt + forMs,
      uses: 0,
      revokedAt: null,
    };
  }

  insert(grant: Grant): void {
    const { id, sessionId, match, covers: words, createdAt, expiresAt } = grant;
    this.#statements.insert.run(id, sessionId, JSON.stringify(match), words, createdAt, expiresAt);
  }

  /**
   * Counts a use, inside the caller's transaction.
   * @throws GrantGone when the grant was revoked or ran out meanwhile: the call that relied on it must not start
   */
  use(id: GrantId): void {
    if (this.#statements.use.run(id, Date.now()).changes !== 1) throw new GrantGone();
  }

  /** Revokes a grant; false when there is none of that id or it was revoked before. */
  revoke(id: GrantId, by: 'operator' | 'app'): boolean {
    const grant = readGrantRow(this.#statements.byId.get(id));
    if (grant === null || grant.revokedAt !== null) return false;
    const revokedAt = Date.now();
    this.journal.append(this.#ref(grant.sessionId), [{ type: 'grant_revoked', grantId: id, by }], 'durable', () => {
      this.#statements.revoke.run(revokedAt, id);
    });
    for (const listener of this.#revokedListeners) listener({ ...grant, revokedAt });
    return true;
  }

  /** Ends every grant that was given until the app quits: called when the app starts. */
  endAgentGrants(): void {
    for (const grant of this.#live()) {
      if (grant.match.scope !== 'agent') continue;
      try {
        this.revoke(grant.id, 'app');
      } catch {
        // Its session cannot be read, so its journal cannot tell of it; it ends all the same, or the store itself fails.
        this.#statements.revoke.run(Date.now(), grant.id);
      }
    }
  }

  /** Ends every grant of one session: its conversation went on over a changed agent. */
  dropSession(sessionId: SessionId): void {
    for (const grant of this.#live()) if (grant.sessionId === sessionId) this.revoke(grant.id, 'app');
  }

  #live(): Grant[] {
    return readGrantRows(this.#statements.live.all());
  }

  #ref(sessionId: SessionId): RunRef {
    return { sessionId, runId: this.#statements.lastRun.get(sessionId) as RunRef['runId'] };
  }
}

/** A grant was revoked between the decision and the start. */
export class GrantGone extends Error {
  override readonly name = 'GrantGone';
}
