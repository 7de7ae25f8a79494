import { createHash, randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RunId } from '@shared/ids';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recoverInterrupted } from '../../../src/main/runs/recovery';
import { DATABASE_FILE } from '../../../src/main/sessions/database';
import type { SessionProblem } from '../../../src/main/sessions/problem';
import {
  LineReader,
  LineWriter,
  type RecordOf,
  type TransferRecord,
} from '../../../src/main/sessions/transfer/records';
import { StoreService } from '../../../src/main/sessions/worker/store-service';
import { random } from '../../support/random';
import { probe, startRun, waitForRequests } from '../../support/run';
import { openStore, type Store, wholeJournal } from '../../support/store';

let here: Store;
let there: Store;
let services: StoreService[];
beforeEach(async () => {
  here = await openStore();
  there = await openStore();
  services = [];
});
afterEach(async () => {
  for (const service of services) service.close();
  await here.close();
  await there.close();
});

function service(store: Store): StoreService {
  const made = new StoreService(join(store.home, DATABASE_FILE));
  services.push(made);
  return made;
}
const fileOf = (name: string) => join(here.home, name);
const NASTY = '<script>alert(1)</script> & "quotes" \u202e reversed \u2028 line ```` ticks \ufffd caf\u00e9 \u{1f600}';

/** A session with an approval that is remembered, a refusal and hostile words. */
async function hold(store: Store) {
  const edit = probe('edit', { run: async () => NASTY });
  const shell = probe('shell');
  const turns = [
    { say: NASTY, calls: [{ tool: 'edit', input: { path: '</pre><b>' } }] },
    { calls: [{ tool: 'shell', input: { command: 'curl https://example.org' } }] },
    { say: 'Done.' },
  ];
  const { run, ref } = startRun(store, turns, [edit.tool, shell.tool]);
  const [first] = await waitForRequests(store);
  if (first === undefined) throw new Error('nothing asked');
  store.inbox.answer(first.id, first.digest, { type: 'approve', remember: 'session' });
  const second = await next(store, first.id);
  store.inbox.answer(second.id, second.digest, { type: 'decline', reason: NASTY });
  expect(await run.ended).toBe('completed');
  return ref;
}

async function next(store: Store, after: string) {
  for (;;) {
    const [request] = await waitForRequests(store);
    if (request !== undefined && request.id !== after) return request;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function recordsOf(path: string): Promise<TransferRecord[]> {
  const reader = new LineReader();
  return (await readFile(path, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => {
      const read = reader.read(Buffer.from(line));
      if (!read.ok) throw new Error(read.problem);
      return read.record;
    });
}

function link({ link: found }: RecordOf<'audit'>) {
  if (found === undefined) throw new Error('this decision has no link');
  return found;
}

/** Writes a file anew, with right sums, and its decisions changed; returns the line of the first. */
async function rewrite(path: string, change: (audit: RecordOf<'audit'>) => RecordOf<'audit'>): Promise<number> {
  const records = await recordsOf(path);
  const writer = new LineWriter();
  const lines = records.map((record) => writer.line(record.kind === 'audit' ? change(record) : record));
  await writeFile(path, lines.join(''));
  return records.findIndex(({ kind }) => kind === 'audit') + 1;
}

function content(store: Store) {
  // The order of an object's keys is no part of it; the audit's content is compared as it was hashed.
  const parsed = (row: object) =>
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => [
        key,
        ['body', 'settlement'].includes(key) ? JSON.parse(value) : value,
      ]),
    );
  const all = (sql: string) => store.database.prepare(sql).all();
  return {
    // That it was taken in is all that tells one from the other.
    sessions: all('SELECT * FROM sessions').map((row) => ({ ...Object(row), taken_in_at: null })),
    events: all('SELECT session_id, run_id, at, type, body FROM events ORDER BY seq').map((row) => parsed(Object(row))),
    requests: all('SELECT * FROM requests ORDER BY id').map((row) => parsed(Object(row))),
    runs: all('SELECT * FROM runs ORDER BY id'),
    audit: all('SELECT request_id, session_id, body, body_hash, hash FROM audit ORDER BY seq'),
    index: all('SELECT text, facets FROM event_search ORDER BY rowid'),
  };
}

async function refusal(path: string): Promise<SessionProblem> {
  const before = content(there);
  const error = await service(there)
    .answer({ type: 'import', path }, () => {})
    .catch((problem: unknown) => problem);
  expect(content(there)).toEqual(before);
  expect(error).toMatchObject({ name: 'SessionProblem' });
  return error as SessionProblem;
}

describe('a session that is exported as JSON Lines', () => {
  it('is equal where it is taken in, and the audit holds on both', async () => {
    const { sessionId } = await hold(here);
    const path = fileOf('a.jsonl');
    const reports: unknown[] = [];
    await service(here).answer({ type: 'export', sessionId, format: 'jsonl', path, known: [] }, (progress) =>
      reports.push(progress),
    );
    expect(reports.at(-1)).toMatchObject({ done: expect.any(Number) });
    expect(await service(there).answer({ type: 'import', path }, () => {})).toEqual({ sessionId });
    expect(content(there)).toEqual(content(here));
    expect(await here.audit.verify()).toEqual({ ok: true, rows: 2 });
    expect(await there.audit.verify()).toEqual({ ok: true, rows: 2 });
    // And once more, from there: the same lines but for the time and the sums.
    const again = fileOf('b.jsonl');
    await service(there).answer({ type: 'export', sessionId, format: 'jsonl', path: again, known: [] }, () => {});
    const records = async (file: string) =>
      (await readFile(file, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => ({ ...JSON.parse(line).record, exportedAt: 0, grant: 0 }));
    expect(await records(again)).toEqual(await records(path));
  });

  it('says where each decision stood in the chain of its store; a file from before that did not, and is taken in', async () => {
    await hold(here);
    const { sessionId } = await hold(here);
    const path = fileOf('a.jsonl');
    await service(here).answer({ type: 'export', sessionId, format: 'jsonl', path, known: [] }, () => {});
    const links = (await recordsOf(path)).flatMap((record) => (record.kind === 'audit' ? [record.link] : []));
    const hashes = here.database.prepare('SELECT hash FROM audit ORDER BY seq').pluck().all();
    expect(links).toEqual([
      { previous: hashes[1], hash: hashes[2] },
      { previous: hashes[2], hash: hashes[3] },
    ]);
    await rewrite(path, ({ link: _, ...rest }) => rest);
    expect(await service(there).answer({ type: 'import', path }, () => {})).toEqual({ sessionId });
    expect(await there.audit.verify()).toEqual({ ok: true, rows: 2 });
  });

  it('gives the audit of another store new links, behind its own', async () => {
    await hold(there);
    const { sessionId } = await hold(here);
    const path = fileOf('a.jsonl');
    await service(here).answer({ type: 'export', sessionId, format: 'jsonl', path, known: [] }, () => {});
    await service(there).answer({ type: 'import', path }, () => {});
    expect(await there.audit.verify()).toEqual({ ok: true, rows: 4 });
  });

  it('brings no approval with it: what was remembered is revoked, and "auto" becomes "ask"', async () => {
    const { sessionId } = await hold(here);
    here.database.prepare("UPDATE sessions SET mode = 'auto'").run();
    const path = fileOf('a.jsonl');
    await service(here).answer({ type: 'export', sessionId, format: 'jsonl', path, known: [] }, () => {});
    await service(there).answer({ type: 'import', path }, () => {});
    expect(there.reader.session(sessionId)?.mode).toBe('ask');
    expect(there.grants.list(sessionId, 'agent-1')).toMatchObject([{ revokedAt: expect.any(Number) }]);
  });

  it('ends here what was running there, and can be resumed', async () => {
    const edit = probe('edit');
    const { run, ref } = startRun(here, [{ calls: [{ tool: 'edit' }] }, { say: 'Done.' }], [edit.tool]);
    await waitForRequests(here);
    const path = fileOf('a.jsonl');
    await service(here).answer(
      { type: 'export', sessionId: ref.sessionId, format: 'jsonl', path, known: [] },
      () => {},
    );
    await service(there).answer({ type: 'import', path }, () => {});
    recoverInterrupted(there.reader, there.journal, there.inbox, (id) => id === ref.sessionId);
    expect(there.reader.session(ref.sessionId)).toMatchObject({ state: 'interrupted', openRequests: 0 });
    const resumed = startRun(there, [{ calls: [{ tool: 'edit' }] }, { say: 'Done.' }], [edit.tool], {
      ref: { ...ref, runId: RunId.parse(randomUUID()) },
    });
    const [asked] = await waitForRequests(there);
    expect(asked).toMatchObject({ kind: 'approval', tool: 'edit' });
    resumed.run.stop();
    run.stop();
    await Promise.all([run.ended, resumed.run.ended]);
  });

  it('is refused where it is already, and can be taken in again after it was deleted', async () => {
    const { sessionId } = await hold(here);
    const path = fileOf('a.jsonl');
    await service(here).answer({ type: 'export', sessionId, format: 'jsonl', path, known: [] }, () => {});
    await service(there).answer({ type: 'import', path }, () => {});
    expect((await refusal(path)).message).toMatch(/here already: “A session”/);
    await service(there).answer({ type: 'delete', sessionIds: [sessionId], olderThanDays: null }, () => {});
    expect(await there.audit.verify()).toEqual({ ok: true, rows: 2 });
    await service(there).answer({ type: 'import', path }, () => {});
    expect(content(there)).toEqual(content(here));
    expect(await there.audit.verify()).toEqual({ ok: true, rows: 2 });
  });
});

describe('a file that is not as it was written', () => {
  it('is refused for one changed byte, wherever it stands, and the line is named', async () => {
    const { sessionId } = await hold(here);
    const path = fileOf('a.jsonl');
    await service(here).answer({ type: 'export', sessionId, format: 'jsonl', path, known: [] }, () => {});
    const bytes = await readFile(path);
    const next = random(20_261_130);
    const places = Array.from({ length: 200 }, () => Math.floor(next() * bytes.length));
    // The places where a reader of text sees no difference: the end of a line, and of the file; the mark of an unknown letter.
    const unknown = bytes.indexOf('\ufffd');
    expect(unknown).toBeGreaterThan(0);
    const hidden: [number, number][] = [
      [bytes.indexOf('\n'), 0x0d],
      [bytes.length - 1, 0x0d],
      [unknown, 0xf0],
    ];
    const changes = [
      ...places.map((at): [number, number] => [at, (bytes[at] ?? 0) ^ (1 + Math.floor(next() * 255))]),
      ...hidden,
    ];
    const importing = service(there);
    for (const [at, value] of changes) {
      const changed = Buffer.from(bytes);
      changed[at] = value;
      await writeFile(fileOf('changed.jsonl'), changed);
      const line = bytes.subarray(0, at).toString('latin1').split('\n').length;
      const before = content(there);
      const problem = await importing
        .answer({ type: 'import', path: fileOf('changed.jsonl') }, () => {})
        .catch((error) => error);
      expect(problem, `byte ${at} became ${value}`).toMatchObject({
        name: 'SessionProblem',
        message: expect.stringContaining(`Line ${line} `),
      });
      expect(content(there)).toEqual(before);
    }
  });

  it.each([
    ['cut short', (lines: string[]) => lines.slice(0, -1), /ends after line \d+: the rest of it is missing/],
    [
      'without one of its lines',
      (lines: string[]) => lines.toSpliced(5, 1),
      /Line 6 was changed, or a line before it is missing/,
    ],
    ['with a line twice', (lines: string[]) => lines.toSpliced(5, 0, lines[4] ?? ''), /Line 6 was changed/],
    ['without its last line end', (lines: string[]) => lines, /Line \d+ does not come to its end/, ''],
    [
      'with the line ends of another system',
      (lines: string[]) => lines.map((line) => `${line}\r`),
      /Line 1 is no line/,
    ],
    ['of something else', () => ['{"a":1}'], /Line 1 is no line of a session/],
    ['that is empty', () => [], /empty/],
  ])('is refused: one %s', async (_name, change, words, end = '\n') => {
    const { sessionId } = await hold(here);
    const path = fileOf('a.jsonl');
    await service(here).answer({ type: 'export', sessionId, format: 'jsonl', path, known: [] }, () => {});
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    const changed = change(lines);
    await writeFile(fileOf('changed.jsonl'), changed.length === 0 ? '' : `${changed.join('\n')}${end}`);
    expect((await refusal(fileOf('changed.jsonl'))).message).toMatch(words);
  });

  type Audited = RecordOf<'audit'>;
  const HASH = 'f'.repeat(64);
  it.each([
    [
      'says another hash of a decision than its link has',
      (at: Audited) => ({ ...at, link: { ...link(at), hash: HASH } }),
    ],
    ['puts a decision behind another one', (at: Audited) => ({ ...at, link: { ...link(at), previous: HASH } })],
    [
      'says something else of a decision',
      (at: Audited) => ({ ...at, body: '{}', bodyHash: createHash('sha256').update('{}').digest('hex') }),
    ],
  ])('is refused: one that %s, with all its sums made anew', async (_name, change) => {
    const { sessionId } = await hold(here);
    const path = fileOf('a.jsonl');
    await service(here).answer({ type: 'export', sessionId, format: 'jsonl', path, known: [] }, () => {});
    const line = await rewrite(path, change);
    expect((await refusal(path)).message).toMatch(
      new RegExp(`^Line ${line}: this decision is not what its link in the audit says`, 'u'),
    );
  });

  it('is refused when it is not there', async () => {
    expect((await refusal(fileOf('nowhere.jsonl'))).message).toMatch(/cannot be read/);
  });
});

describe('a session that is exported for reading', () => {
  it('is one page without scripts, addresses or anything unescaped', async () => {
    const { sessionId } = await hold(here);
    const path = fileOf('a.html');
    await service(here).answer({ type: 'export', sessionId, format: 'html', path, known: [] }, () => {});
    const page = await readFile(path, 'utf8');
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/<script|<img|<b>&lt;|<link|src=|href=|\son\w+=|url\(|\u202e|\u2028/iu);
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).toContain('⟦U+202E⟧');
    expect(page).toContain('https://example.org');
    expect(page).toContain('declined by you');
    expect(page.trimEnd().endsWith('</html>')).toBe(true);
  });

  it('is Markdown in which nothing breaks out of its place', async () => {
    const { sessionId } = await hold(here);
    const path = fileOf('a.md');
    await service(here).answer({ type: 'export', sessionId, format: 'markdown', path, known: [] }, () => {});
    const text = await readFile(path, 'utf8');
    expect(text).toMatch(/^# A session\n/u);
    expect(text).toContain('> &lt;script>alert(1)');
    expect(text).toContain('`````text');
  });

  // No secrets: made up for this test.
  const KNOWN = 'a-value-of-the-app-9f2c';
  const SHAPED = `ghp_${'R4nd0mLooking'.repeat(3).slice(0, 36)}`;

  it.each(['html', 'markdown'] as const)(
    'shows no secret, whoever wrote it and wherever it stands, as %s',
    async (format) => {
      const both = `${KNOWN} and ${SHAPED}`;
      const edit = probe('edit', { run: async () => both });
      const turns = [
        { say: both, calls: [{ tool: 'edit', input: { path: both } }] },
        { calls: [{ tool: 'edit', input: { diff: `- ${KNOWN}\n+ ${SHAPED}` } }] },
        { say: 'Done.' },
      ];
      const { run, ref } = startRun(here, turns, [edit.tool]);
      const [first] = await waitForRequests(here);
      if (first === undefined) throw new Error('nothing asked');
      here.inbox.answer(first.id, first.digest, { type: 'approve', remember: null });
      const second = await next(here, first.id);
      here.inbox.answer(second.id, second.digest, { type: 'decline', reason: both });
      await run.ended;
      here.journal.rename(ref.sessionId, both);
      const path = fileOf('page');
      const known = [{ name: 'value of A_TOKEN', value: KNOWN }];
      await service(here).answer({ type: 'export', sessionId: ref.sessionId, format, path, known }, () => {});
      const text = await readFile(path, 'utf8');
      expect(text).not.toContain(KNOWN);
      expect(text).not.toContain(SHAPED);
      expect(text.match(/value of A\\?_TOKEN/g)?.length).toBeGreaterThan(4);
      expect(wholeJournal(here, ref.sessionId).some(({ body }) => JSON.stringify(body).includes(SHAPED))).toBe(true);
    },
  );

  it('leaves what was there before when it cannot be written', async () => {
    const { sessionId } = await hold(here);
    const path = join(here.home, 'no', 'such', 'folder.md');
    await expect(
      service(here).answer({ type: 'export', sessionId, format: 'markdown', path, known: [] }, () => {}),
    ).rejects.toThrow(/ENOENT/);
  });
});
