import type { SessionId } from '@shared/ids';
import type { ExportFormat } from '@shared/sessions';
import { createRedactor, type KnownSecret } from '../../tools/redaction/redactor';
import type { SqliteDatabase } from '../database';
import { type Block, Blocks } from './blocks';
import { htmlBlock, htmlEnd, htmlStart } from './html';
import { markdownBlock, markdownStart } from './markdown';
import { LineWriter } from './records';
import { Redacted } from './redacted';
import { SessionSource } from './session-source';
import { writeFileWhole } from './write-file';

/** How many events go by between two reports. */
const REPORT_EVERY = 1_000;

export interface ExportInput {
  readonly sessionId: SessionId;
  readonly format: ExportFormat;
  readonly path: string;
  /** What must not be read in a page. The lines are whole: they are taken in again, and the audit's chain is over them. */
  readonly known: readonly KnownSecret[];
}

/**
 * Writes a session to a file: all of it, or nothing.
 * @param report is told how many events are written, of how many
 * @returns how many events there are
 * @throws SessionProblem when there is no such session
 */
export async function exportSession(
  database: SqliteDatabase,
  { sessionId, format, path, known }: ExportInput,
  report: (done: number, total: number) => void,
): Promise<number> {
  const source = new SessionSource(database, sessionId);
  let done = 0;
  const counted = () => {
    done += 1;
    if (done % REPORT_EVERY === 0) report(done, source.total);
  };
  const redacted = new Redacted(createRedactor({ known, names: 'shortened' }));
  const texts = { jsonl: jsonLines, markdown, html }[format];
  await writeFileWhole(path, texts(source, counted, redacted));
  report(done, source.total);
  return done;
}

async function* jsonLines(source: SessionSource, counted: () => void): AsyncGenerator<string> {
  const writer = new LineWriter();
  for await (const record of source.records(Date.now())) {
    yield writer.line(record);
    if (record.kind === 'event') counted();
  }
  yield writer.line({ kind: 'end', lines: writer.lines + 1 });
}

async function* markdown(source: SessionSource, counted: () => void, redacted: Redacted): AsyncGenerator<string> {
  yield markdownStart(redacted.session(source.session));
  for await (const block of blocksOf(source, counted)) yield markdownBlock(redacted.block(block));
}

async function* html(source: SessionSource, counted: () => void, redacted: Redacted): AsyncGenerator<string> {
  yield htmlStart(redacted.session(source.session));
  for await (const block of blocksOf(source, counted)) yield htmlBlock(redacted.block(block));
  yield htmlEnd();
}

async function* blocksOf(source: SessionSource, counted: () => void): AsyncGenerator<Block> {
  const blocks = new Blocks();
  for await (const event of source.events()) {
    yield* blocks.add(event);
    counted();
  }
  yield* blocks.end();
}
