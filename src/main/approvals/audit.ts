import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { AuditVerdict } from '@shared/bridge';
import { isJson, type JsonValue } from '@shared/json';
import type { Request, Settlement } from '@shared/requests';
import { z } from 'zod';
import { GENESIS, linkHash } from '../sessions/audit-chain';
import type { SqliteDatabase } from '../sessions/database';
import { parseJson } from '../sessions/rows';
import { canonicalJson } from './digest';

const AuditRow = z.object({
  seq: z.number().int().positive(),
  request_id: z.string(),
  body: z.string().nullable(),
  body_hash: z.string(),
  hash: z.string(),
});
type AuditRow = z.infer<typeof AuditRow>;

/** Rows that are read at once: a millisecond or two. */
const PAGE = 500;

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
      page: database.prepare('SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?'),
    };
  }

  /** Adds the row of a request that is being settled, inside the transaction that settles it. */
  add(request: Request, settlement: Settlement, settledAt: number): void {
    const body = canonicalJson(auditBody(request, settlement, settledAt));
    const bodyHash = sha256(body);
    const previous = z.string().default(GENESIS).parse(this.#statements.last.get());
    this.#statements.insert.run(
      request.id,
      request.sessionId,
      body,
      bodyHash,
      linkHash(previous, request.id, bodyHash),
    );
  }

  /** Checks every link, from the first. Gives way to other work between pages. */
  async verify(): Promise<AuditVerdict> {
    let previous = GENESIS;
    let seq = 0;
    let rows = 0;
    for await (const row of this.#rows()) {
      const problem = brokenLink(row, previous, seq);
      if (problem !== null) return { ok: false, seq: row.seq, requestId: row.request_id, problem };
      previous = row.hash;
      seq = row.seq;
      rows += 1;
    }
    return { ok: true, rows };
  }

  /** The whole chain as JSON Lines, one row a line, oldest first. */
  async *exportLines(): AsyncGenerator<string> {
    for await (const { seq, request_id: requestId, body, body_hash: bodyHash, hash } of this.#rows()) {
      yield `${JSON.stringify({ seq, requestId, body: body === null ? null : contentOf(body), bodyHash, hash })}\n`;
    }
  }

  async *#rows(): AsyncGenerator<AuditRow> {
    for (let after = Number.MIN_SAFE_INTEGER; ; ) {
      const page = this.#statements.page.all(after, PAGE).map((row) => AuditRow.parse(row));
      yield* page;
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = last.seq;
      await setImmediate();
    }
  }
}

/** As JSON; as the text that it is where it is none that could be written again. */
function contentOf(body: string): JsonValue {
  const content = parseJson(body);
  return isJson(content) ? content : body;
}

/** What is wrong with a row that should follow from the one before; null where nothing is. */
function brokenLink(row: AuditRow, previous: string, previousSeq: number): string | null {
  if (row.body !== null && sha256(row.body) !== row.body_hash) return 'its content was changed';
  if (linkHash(previous, row.request_id, row.body_hash) === row.hash) return null;
  return row.seq === previousSeq + 1 ? 'it does not follow from the row before' : 'a row before it is missing';
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
          keptBy: request.keptBy,
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

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
