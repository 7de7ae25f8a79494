import type { SessionId } from '@shared/ids';
import type { ExportFormat } from '@shared/sessions';
import type { SqliteDatabase } from '../database';
import { type Block, Blocks } from './blocks';
import { htmlBlock, htmlEnd, htmlStart } from './html';
import { markdownBlock, markdownStart } from './markdown';
import { LineWriter } from './records';
import { SessionSource } from './session-source';
import { writeFileWhole } from './write-file';

/** How many events go by between two reports. */
const REPORT_EVERY = 1_000;

export interface ExportInput {
  readonly sessionId: SessionId;
  readonly format: ExportFormat;
  readonly path: string;
}

/**
 * Writes a session to a file: all of it, or nothing.
 * @param report is told how many events are written, of how many
 * @returns how many events there are
 * @throws SessionProblem when there is no such session
 */
export async function exportSession(
  database: SqliteDatabase,
  { sessionId, format, path }: ExportInput,
  report: (done: number, total: number) => void,
): Promise<number> {
  const source = new SessionSource(database, sessionId);
  let done = 0;
  const counted = () => {
    done += 1;
    if (done % REPORT_EVERY === 0) report(done, source.total);
  };
  const texts = { jsonl: jsonLines, markdown, html }[format];
  await writeFileWhole(path, texts(source, counted));
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

async function* markdown(source: SessionSource, counted: () => void): AsyncGenerator<string> {
  yield markdownStart(source.session);
  for await (const block of blocksOf(source, counted)) yield markdownBlock(block);
}

async function* html(source: SessionSource, counted: () => void): AsyncGenerator<string> {
  yield htmlStart(source.session);
  for await (const block of blocksOf(source, counted)) yield htmlBlock(block);
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
