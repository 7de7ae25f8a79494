import { createHash } from 'node:crypto';
import { EventBody } from '@shared/events';
import { RequestId, RunId, Timestamp } from '@shared/ids';
import { Grant, Request, Settlement } from '@shared/requests';
import { SessionSummary } from '@shared/sessions';
import { Outcome, RunState } from '@shared/states';
import { z } from 'zod';

/** Longer than a path can be; it is a row of a list that it stands in. */
const Place = z.string().max(10_000);

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** What stands in a session's JSON Lines: the session first, everything of it, and how many lines there were, last. */
export const TransferRecord = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('session'),
    format: z.literal('sayso-session'),
    version: z.literal(1),
    exportedAt: Timestamp,
    session: SessionSummary.extend({ agentId: Place, workspace: Place, model: z.string().max(1_000) }),
    /** The agent as it was: its prompt, model and tools by their hashes. */
    fingerprint: z.string().max(100_000),
  }),
  z.strictObject({
    kind: z.literal('run'),
    id: RunId,
    startedAt: Timestamp,
    endedAt: Timestamp.nullable(),
    state: RunState,
  }),
  z.strictObject({
    kind: z.literal('event'),
    seq: z.number().int().positive(),
    runId: RunId,
    at: Timestamp,
    body: EventBody,
  }),
  z.strictObject({
    kind: z.literal('request'),
    request: Request,
    state: z.union([z.literal('pending'), Outcome]),
    settledAt: Timestamp.nullable(),
    settlement: Settlement.nullable(),
  }),
  z.strictObject({ kind: z.literal('grant'), grant: Grant }),
  /** A row of the audit, with its content exactly as it was hashed. */
  z.strictObject({
    kind: z.literal('audit'),
    requestId: RequestId,
    body: z.string().nullable(),
    bodyHash: Sha256,
    /**
     * Where it stood in the audit's chain of the store that it comes from: the hash of the row before it there, and its own.
     * Left out by a Sayso that did not export it.
     */
    link: z.strictObject({ previous: Sha256, hash: Sha256 }).optional(),
  }),
  z.strictObject({ kind: z.literal('end'), lines: z.number().int().positive() }),
]);
export type TransferRecord = z.infer<typeof TransferRecord>;
export type RecordOf<K extends TransferRecord['kind']> = Extract<TransferRecord, { kind: K }>;

const START = '0'.repeat(64);
/** What stands before the record, and behind it. */
const LINE_HEAD = /^\{"sum":"([0-9a-f]{64})","record":$/;
const HEAD_BYTES = 83;
const TAIL = 0x7d;
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Writes records as lines, each with a sum over itself and all before it: one byte that changes is found, and where. */
export class LineWriter {
  #sum = START;
  #lines = 0;

  get lines(): number {
    return this.#lines;
  }

  line(record: TransferRecord): string {
    // Readers of lines take these two for the end of one; JSON may spell them out.
    const text = JSON.stringify(record).replace(/[\u2028\u2029]/gu, (end) =>
      end === '\u2028' ? '\\u2028' : '\\u2029',
    );
    this.#sum = sumOf(this.#sum, text);
    this.#lines += 1;
    return `{"sum":"${this.#sum}","record":${text}}\n`;
  }
}

export type ReadLine =
  | { readonly ok: true; readonly record: TransferRecord }
  | { readonly ok: false; readonly problem: string };

/** Reads lines that a LineWriter wrote, and says of the first that is not as it was written what is wrong with it. */
export class LineReader {
  #sum = START;
  #lines = 0;

  get lines(): number {
    return this.#lines;
  }

  /** @param line its bytes, without its end: one that decodes to the same text is another one all the same */
  read(line: Buffer): ReadLine {
    this.#lines += 1;
    const where = `Line ${this.#lines}`;
    const sum = LINE_HEAD.exec(line.toString('latin1', 0, HEAD_BYTES))?.[1];
    if (sum === undefined || line.at(-1) !== TAIL) return { ok: false, problem: `${where} is no line of a session.` };
    const record = line.subarray(HEAD_BYTES, -1);
    const right = sumOf(this.#sum, record);
    if (sum !== right) return { ok: false, problem: `${where} was changed, or a line before it is missing.` };
    this.#sum = right;
    const parsed = TransferRecord.safeParse(parse(record));
    if (parsed.success) return { ok: true, record: parsed.data };
    const [issue] = parsed.error.issues;
    return { ok: false, problem: `${where} cannot be read: ${issue?.path.join('.')}: ${issue?.message}` };
  }
}

function sumOf(before: string, record: string | Buffer): string {
  return createHash('sha256').update(`${before}\n`).update(record).digest('hex');
}

function parse(record: Buffer): unknown {
  try {
    return JSON.parse(UTF_8.decode(record));
  } catch {
    return undefined;
  }
}
