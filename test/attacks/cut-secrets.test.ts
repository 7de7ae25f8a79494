import { randomBytes, randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RunId, SessionId } from '@shared/ids';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportName } from '../../src/main/desktop/export-name';
import { DATABASE_FILE } from '../../src/main/sessions/database';
import { derivedTitle } from '../../src/main/sessions/derived-title';
import { titleOf } from '../../src/main/sessions/title';
import { StoreService } from '../../src/main/sessions/worker/store-service';
import { DIFF_LINE_LENGTH, fileDiff } from '../../src/main/tools/computer/file-diff';
import { READ_LENGTH } from '../../src/main/tools/computer/read-file';
import { createRedactor } from '../../src/main/tools/redaction/redactor';
import { humanTools } from '../../src/main/tools/registry';
import { contextOf, prepare, quietIo, tempFolder } from '../main/tools/computer/helpers';
import { startRun, waitForRequests } from '../support/run';
import { newSession, openStore, STARTED, type Store } from '../support/store';

// Its ends are found nowhere else.
const SECRET = `zQ7x${randomBytes(48).toString('hex')}wK9j`;
const KNOWN = [{ name: 'DEPLOY_TOKEN', value: SECRET }];
/** So much of it is enough to know which one it is; Sayso leaves at most three characters. */
const PART = SECRET.slice(0, 4);

describe('a known secret that was cut short before it was looked for', () => {
  let store: Store;
  let service: StoreService;
  beforeEach(async () => {
    store = await openStore();
    service = new StoreService(join(store.home, DATABASE_FILE));
  });
  afterEach(async () => {
    service.close();
    await store.close();
  });

  async function page(sessionId: SessionId, format: 'html' | 'markdown'): Promise<string> {
    const path = join(store.home, `a.${format}`);
    await service.answer({ type: 'export', sessionId, format, path, known: KNOWN }, () => {});
    return readFile(path, 'utf8');
  }

  it.each([
    ['a title', (prompt: string) => titleOf(prompt)],
    ['a title of a fork', (prompt: string) => derivedTitle(titleOf(prompt), 'fork')],
    ['a longer title of a fork', (prompt: string) => derivedTitle(`${'x '.repeat(55)}${prompt}`, 'fork')],
  ])('is neither in the proposed name of a file nor in a page: %s', async (_, named) => {
    const title = named(`Deploy with ${SECRET}`);
    expect(title).toContain(PART);
    expect(exportName(title, 'html', KNOWN)).not.toContain(PART);
    const ref = { sessionId: SessionId.parse(randomUUID()), runId: RunId.parse(randomUUID()) };
    const notice = {
      type: 'notice' as const,
      level: 'info' as const,
      text: `Forked from “${title}”. What follows is new.`,
    };
    store.journal.createSession(newSession(title, 'agent-1', ref.sessionId), ref.runId, [STARTED, notice]);
    for (const format of ['html', 'markdown'] as const) expect(await page(ref.sessionId, format)).not.toContain(PART);
  });

  it('is not in a page, where a question was too long', async () => {
    const ask = humanTools().find(({ name }) => name === 'ask_human_confirm');
    if (ask === undefined) throw new Error('no such tool');
    const question = `${'Shall I go on? '.repeat(29)}The token is ${SECRET} as you said`;
    const turns = [{ calls: [{ tool: ask.name, input: { question } }] }, { say: 'Done.' }];
    const { run, ref } = startRun(store, turns, [ask]);
    const [request] = await waitForRequests(store);
    if (request?.kind !== 'question') throw new Error('nothing asked');
    expect(request.question).toContain(PART);
    store.inbox.answer(request.id, request.digest, { type: 'confirm', confirmed: true });
    await run.ended;
    expect(await page(ref.sessionId, 'html')).not.toContain(PART);
  });
});

it('a title that is cut in a token of any kind names no file by its half', () => {
  expect(exportName(titleOf(`${'Use it '.repeat(9)}aB3dE5gH7jK9mN2pQ4rS6tV8`), 'html', [])).not.toContain('aB3dE5');
});

describe('what a tool gives of a line that is too long', () => {
  const redactor = createRedactor({ known: KNOWN });
  const given = async (tool: string, input: object, content: string) => {
    const workspace = await tempFolder();
    await writeFile(join(workspace, 'f'), content);
    const prepared = await prepare(contextOf(workspace), tool, input);
    return (await prepared.execute(quietIo())).content;
  };

  it.each([
    ['read_file', { path: 'f' }, `${'x '.repeat(READ_LENGTH / 2 - 20)}${SECRET}\n`, PART],
    ['search_files', { pattern: 'needle' }, `needle ${'x '.repeat(180)}${SECRET}\n`, PART],
    ['search_files', { pattern: 'needle' }, `${SECRET}${' x'.repeat(30)} needle\n`, SECRET.slice(-4)],
  ])('holds no half of a known secret: %s', async (tool, input, content, part) => {
    const text = await given(tool, input, content);
    expect(text).toContain(part);
    expect(redactor.redact(text).text).not.toContain(part);
  });

  it('holds none in a diff', () => {
    const { diff } = fileDiff(null, Buffer.from(`${'x '.repeat(DIFF_LINE_LENGTH / 2 - 20)}${SECRET}\n`));
    expect(diff).toContain(PART);
    expect(redactor.redact(diff).text).not.toContain(PART);
  });

  it('keeps words that are only words', () => {
    for (const text of ['def f(x: Callable[...]) -> Reader2Writer…', 'getElementById9 [...] QueryParameters1']) {
      expect(redactor.redact(text).text).toBe(text);
    }
  });
});
