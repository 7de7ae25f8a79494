import { createHash } from 'node:crypto';
import type { Request, Settlement } from '@shared/requests';
import { z } from 'zod';
import type { SqliteDatabase } from '../sessions/database';
import { canonicalJson } from './digest';

/** What the chain begins with. */
const GENESIS = '0'.repeat(64);

const AuditRow = z.object({
  seq: z.number().int().positive(),
  request_id: z.string(),
  body: z.string().nullable(),
  body_hash: z.string(),
  hash: z.string(),
});

export type AuditVerdict =
  | { readonly ok: true; readonly rows: number }
  /** The first link that does not hold, and what is wrong with it. */
  | { readonly ok: false; readonly seq: number; readonly requestId: string; readonly problem: string };

/**
 * The record of every settled request: who or what settled it, when, after how long, what was shown, by which grant and
 * in which sandbox tier. Each row carries the hash of the one before, so that a row that was changed, taken out or put in
 * is found; only the end of the chain can be cut off unseen, unless its last hash was kept elsewhere.
 */
export class Audit {
  readonly #statements;

  constructor(database: SqliteDatabase) {
    this.#statements = {
      last: database.prepare('SELECT hash FROM audit ORDER BY seq DESC LIMIT 1').pluck(),
      insert: database.prepare(
        'INSERT INTO audit (request_id, session_id, body, body_hash, hash) VALUES (?, ?, ?, ?, ?)',
      ),
      all: database.prepare('SELECT * FROM audit ORDER BY seq'),
    };
  }

  /** Adds the row of a request that is being settled, inside the transaction that settles it. */
  add(request: Request, settlement: Settlement, settledAt: number): void {
    const body = canonicalJson(auditBody(request, settlement, settledAt));
    const bodyHash = sha256(body);
    const previous = z.string().default(GENESIS).parse(this.#statements.last.get());
    this.#statements.insert.run(request.id, request.sessionId, body, bodyHash, link(previous, request.id, bodyHash));
  }

  /** Checks every link, from the first. */
  verify(): AuditVerdict {
    let previous = GENESIS;
    let rows = 0;
    let seq = 0;
    for (const row of this.#statements.all.iterate()) {
      const { request_id: requestId, ...link_ } = AuditRow.parse(row);
      const broken = (problem: string): AuditVerdict => ({ ok: false, seq: link_.seq, requestId, problem });
      if (link_.body !== null && sha256(link_.body) !== link_.body_hash) return broken('its content was changed');
      if (link(previous, requestId, link_.body_hash) !== link_.hash) {
        return broken(link_.seq === seq + 1 ? 'it does not follow from the row before' : 'a row before it is missing');
      }
      previous = link_.hash;
      seq = link_.seq;
      rows += 1;
    }
    return { ok: true, rows };
  }

  /** The whole chain as JSON Lines, one row a line, oldest first. */
  *exportLines(): Generator<string> {
    for (const row of this.#statements.all.iterate()) {
      const { seq, request_id: requestId, body, body_hash: bodyHash, hash } = AuditRow.parse(row);
      yield `${JSON.stringify({ seq, requestId, body: body === null ? null : JSON.parse(body), bodyHash, hash })}\n`;
    }
  }
}

function auditBody(request: Request, settlement: Settlement, settledAt: number) {
  const { id, sessionId, runId, callId, agent, sessionTitle, tool, digest, createdAt, expiresAt, kind } = request;
  const shown =
    request.kind === 'approval'
      ? {
          command: request.command,
          preview: request.preview,
          cwd: request.cwd,
          gatedBy: request.gatedBy,
          labels: request.labels,
          changed: request.changed,
          sandbox: request.sandbox,
        }
      : { question: request.question, answer: request.answer };
  return {
    requestId: id,
    sessionId,
    runId,
    callId,
    agent,
    sessionTitle,
    tool,
    kind,
    digest,
    createdAt,
    expiresAt,
    settledAt,
    afterMs: Math.max(0, settledAt - createdAt),
    shown,
    settlement,
  };
}

function link(previous: string, requestId: string, bodyHash: string): string {
  return sha256(`${previous}\n${requestId}\n${bodyHash}`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
