import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { calls, runs, says, scripted } from '../support/agents';
import { test as base, expect, type SaysoApp } from '../support/app';
import { ask, call } from '../support/bridge';
import { consoleOf, openCard } from '../support/console';
import { type Disk, mountDisk, NO_DISKS } from '../support/disk';

const test = base.extend<{ readonly disk: Disk }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are wanted out of this pattern
  disk: async ({}, use) => {
    base.skip(NO_DISKS !== null, NO_DISKS ?? '');
    const disk = await mountDisk(32 * 1024 * 1024);
    await use(disk);
    disk.unmount();
  },
});

const STORE = 'sayso.sqlite';
/** It says much, again and again: the store grows, whatever else is on the disk. */
const TALKER = scripted(
  'talker',
  [
    ...Array.from({ length: 20 }, (_, turn) => ({
      say: `Turn ${turn}: ${'many words '.repeat(4_000)}`,
      calls: [{ tool: 'list_dir', input: { path: '.', limit: turn + 1 } }],
    })),
    says('All is said.'),
  ],
  { limits: { maxTokens: 1_000_000_000 } },
);
const TOUCHER = scripted('toucher', [runs('touch', 'zanzibar'), says('It is done.'), says('Once more.')]);

/** Everything of a store, read from its file. */
function wholeStore(folder: string): { readonly verdict: unknown; readonly texts: unknown[] } {
  const database = new Database(join(folder, STORE), { readonly: true });
  try {
    const texts = database.prepare("SELECT body FROM events WHERE type = 'user_message' ORDER BY seq").pluck().all();
    return { verdict: database.pragma('integrity_check', { simple: true }), texts };
  } finally {
    database.close();
  }
}

const said = (app: SaysoApp) => wholeStore(app.home).texts.map((body) => JSON.parse(String(body)).text);

test.describe('a full disk', () => {
  test('ends the run in words, keeps what was on record, and with room again everything goes on', async ({
    launch,
    makeFolder,
    disk,
  }) => {
    const app = await launch({ home: disk.path, agents: TALKER });
    const ui = consoleOf(app.page);
    disk.fill(1_500_000);
    const sessionId = await app.start({ agent: 'talker', prompt: 'Talk much', workspace: await makeFolder() });
    await ui.open('Talk much');
    await expect(app.page.getByText('The disk is full.').first()).toBeVisible({ timeout: 30_000 });
    await expect(app.page.getByText(/Make room on it\. What is on record stays/).first()).toBeVisible();
    const turns = app.journal.bodies(sessionId, 'assistant_message').length;
    expect(turns).toBeGreaterThan(0);
    await expect(ui.timeline).toContainText(`Turn ${turns - 1}:`);
    // Nothing new can be begun either, and it is said why.
    const agentId = await app.agentId('talker');
    const again = await call(app.page, 'startRun', {
      agentId,
      prompt: 'x'.repeat(90_000),
      workspace: await makeFolder(),
      mode: null,
    });
    expect(again).toMatchObject({ ok: false, error: { message: 'The disk is full.' } });

    disk.empty();
    // Its end is on record, if there was just enough room for that; else it is put there as soon as there is.
    await expect(ui.status).toHaveText(/^\s*(Interrupted|Failed)$/);
    await ui.resume.click();
    // Where it was full between the start of a call and its result, that call may have run: the operator is asked.
    const asked = ui.cards().getByRole('radio', { name: /^Skip/ });
    await expect(asked.or(ui.status.filter({ hasText: 'Completed' }))).toBeVisible({ timeout: 40_000 });
    if (await asked.isVisible()) {
      await asked.click();
      await ui.cards().getByRole('button', { name: 'Answer' }).click();
    }
    await app.reached(sessionId, 'completed', 40_000);
    expect(app.journal.bodies(sessionId, 'assistant_message')).toHaveLength(21);
    await app.quit();
    expect(wholeStore(disk.path).verdict).toBe('ok');
  });

  test('at the start is said, and "Try again" opens the store once there is room', async ({ launch, disk }) => {
    disk.fill(0);
    const app = await launch({ home: disk.path });
    await expect(app.page.getByRole('heading', { name: 'Your sessions could not be read' })).toBeVisible();
    await expect(app.page.getByRole('main')).toContainText('its disk is full');
    const again = app.page.getByRole('button', { name: 'Try again' });
    await again.click();
    await expect(again).toBeEnabled();
    await expect(app.page.getByRole('main')).toContainText('its disk is full');
    disk.empty();
    await again.click();
    await expect(consoleOf(app.page).demo).toBeVisible();
  });

  test('takes no export and no backup for written', async ({ launch, makeFolder, disk }) => {
    const app = await launch({ agents: TALKER });
    const sessionId = await app.start({ agent: 'talker', prompt: 'Talk much', workspace: await makeFolder() });
    await app.reached(sessionId, 'completed', 40_000);
    disk.fill(100_000);
    await app.electron.evaluate(
      ({ dialog }, filePath) => {
        dialog.showSaveDialog = async () => ({ canceled: false, filePath });
      },
      join(disk.path, 'copy'),
    );
    for (const format of ['jsonl', 'markdown', 'html'] as const) {
      const result = await call(app.page, 'exportSession', { sessionId, format });
      expect(result, format).toMatchObject({ ok: false, error: { message: 'The disk is full.' } });
    }
    const backup = await call(app.page, 'backUpStore', {});
    expect(backup).toMatchObject({ ok: false, error: { message: 'The disk is full.' } });
    expect(readdirSync(disk.path)).toEqual(['filler']);
  });
});

test('a data folder that cannot be written to is said to be so, and left as it is', async ({ launch, disk }) => {
  const first = await launch({ home: disk.path });
  await expect(consoleOf(first.page).demo).toBeVisible();
  await first.quit();
  // Processes of Chromium may hold a file for a moment longer than the app lives.
  await expect(() => disk.makeReadOnly()).toPass();
  const app = await launch({ home: disk.path });
  await expect(app.page.getByRole('heading', { name: 'Your sessions could not be read' })).toBeVisible();
  await expect(app.page.getByRole('main')).toContainText('cannot be opened for writing');
  await expect(app.page.getByRole('main')).toContainText('Make the file and its folder writable');
  await expect(app.page.getByRole('button', { name: 'Try again' })).toBeEnabled();
});

test.describe('a store that another program has locked', () => {
  test('is said to be so at the start, and opened when it is free', async ({ launch, makeFolder }) => {
    const home = await makeFolder();
    const first = await launch({ home, agents: TOUCHER });
    await expect(consoleOf(first.page).demo).toBeVisible();
    await first.quit();
    const other = new Database(join(home, STORE));
    other.exec('BEGIN EXCLUSIVE');
    const app = await launch({ home });
    await expect(app.page.getByRole('main')).toContainText('is locked by another program', { timeout: 20_000 });
    other.exec('ROLLBACK');
    other.close();
    await app.page.getByRole('button', { name: 'Try again' }).click();
    await expect(consoleOf(app.page).demo).toBeVisible();
  });

  test('keeps what was approved from running, and the session goes on when it is free', async ({
    launch,
    makeFolder,
  }) => {
    const app = await launch({ agents: TOUCHER });
    const ui = consoleOf(app.page);
    const workspace = await makeFolder();
    const sessionId = await app.start({ agent: 'toucher', prompt: 'Touch it', workspace });
    await ui.open('Touch it');
    const card = await openCard(ui.cards());
    const other = new Database(join(app.home, STORE));
    other.exec('BEGIN IMMEDIATE');
    await card.approve.click();
    await expect(app.page.getByText('The store is locked by another program.').first()).toBeVisible({
      timeout: 30_000,
    });
    other.exec('ROLLBACK');
    other.close();
    await app.reached(sessionId, 'interrupted');
    expect(existsSync(join(workspace, 'zanzibar'))).toBe(false);
    expect(app.journal.requests(sessionId)).toMatchObject([{ state: 'interrupted' }]);
    await ui.resume.click();
    await (await openCard(ui.cards())).approve.click();
    await app.reached(sessionId, 'completed');
    expect(existsSync(join(workspace, 'zanzibar'))).toBe(true);
  });
});

test.describe('a store whose file is taken away while it is open', () => {
  const ways = [
    ['the file is removed', (home: string) => unlinkSync(join(home, STORE))],
    [
      'the file and its log are removed',
      (home: string) => ['', '-wal', '-shm'].map((end) => rmSync(join(home, `${STORE}${end}`))),
    ],
    ['its log is removed', (home: string) => unlinkSync(join(home, `${STORE}-wal`))],
    ['the file is moved away', (home: string) => renameSync(join(home, STORE), join(home, 'moved'))],
  ] as const;
  for (const [name, take] of ways) {
    test(`is written anew, with all that was on record: ${name}`, async ({ launch, makeFolder }) => {
      const app = await launch({ agents: TOUCHER });
      const ui = consoleOf(app.page);
      const workspace = await makeFolder();
      const sessionId = await app.start({ agent: 'toucher', prompt: 'Touch it', workspace });
      await ui.open('Touch it');
      take(app.home);
      // What is acknowledged before it is noticed counts as well; from then on nothing is.
      const sent = await call(app.page, 'sendMessage', { sessionId, text: 'quickly', anyway: false, place: null });
      if (!sent.ok) expect(sent.error.message).toContain('The store is being saved');
      await expect(app.page.getByRole('alert').filter({ hasText: "The store's file was removed" })).toBeVisible();
      expect(said(app)).toEqual(['Touch it', ...(sent.ok ? ['quickly'] : [])]);
      await expect(ui.status).toHaveText('Interrupted');
      await ui.resume.click();
      await (await openCard(ui.cards())).approve.click();
      await app.reached(sessionId, 'completed');
      expect(existsSync(join(workspace, 'zanzibar'))).toBe(true);
      await app.quit();
      expect(readdirSync(app.home).filter((file) => file.startsWith('sayso.sqlite'))).toEqual([STORE]);
      expect(wholeStore(app.home).verdict).toBe('ok');
    });
  }

  test('is saved by a quit that comes before anybody has noticed', async ({ launch, makeFolder }) => {
    const app = await launch({ agents: TOUCHER });
    const sessionId = await app.start({ agent: 'toucher', prompt: 'Touch it', workspace: await makeFolder() });
    await app.reached(sessionId, 'waiting');
    unlinkSync(join(app.home, STORE));
    await app.quit();
    expect(said(app)).toEqual(['Touch it']);
    const again = await launch({ home: app.home });
    await consoleOf(again.page).open('Touch it');
    await expect(consoleOf(again.page).status).toHaveText('Interrupted');
  });

  test('leaves another file alone that has taken its place, and is kept beside it', async ({ launch, makeFolder }) => {
    const other = await launch({ agents: TOUCHER });
    const theirs = await other.start({ agent: 'toucher', prompt: 'Touch another', workspace: await makeFolder() });
    await other.reached(theirs, 'waiting');
    await other.quit();

    const app = await launch({ agents: TOUCHER });
    const sessionId = await app.start({ agent: 'toucher', prompt: 'Touch it', workspace: await makeFolder() });
    await app.reached(sessionId, 'waiting');
    for (const end of ['', '-wal', '-shm']) rmSync(join(app.home, `${STORE}${end}`));
    renameSync(join(other.home, STORE), join(app.home, STORE));
    const notice = app.page.getByRole('alert').filter({ hasText: 'Another file took the place of the store' });
    await expect(notice).toBeVisible();
    await expect(consoleOf(app.page).sessions.getByRole('link', { name: 'Touch another' })).toBeVisible();
    const kept = readdirSync(app.home).find((file) => file.startsWith(`${STORE}.rescued-`));
    await expect(notice).toContainText(kept ?? 'it is not there');
    mkdirSync(join(app.home, 'look'));
    renameSync(join(app.home, kept ?? ''), join(app.home, 'look', STORE));
    expect(wholeStore(join(app.home, 'look')).texts).toHaveLength(1);
  });
});

test('a clock that is set back changes no order, no deadline and no time spent', async ({ launch, makeFolder }) => {
  const MONTH = 30 * 86_400_000;
  const agents = scripted(
    'toucher',
    [runs('touch', 'a'), calls('list_dir', { path: '.' }), runs('touch', 'b'), says('Over.')],
    {
      guardrails: { approvalTimeout: '10s' },
    },
  );
  const app = await launch({ agents });
  const ui = consoleOf(app.page);
  const workspace = await makeFolder();
  const sessionId = await app.start({ agent: 'toucher', prompt: 'Touch both', workspace });
  await ui.open('Touch both');
  const card = await openCard(ui.cards());
  await app.electron.evaluate((_electron, back) => {
    const now = Date.now;
    Date.now = () => now() - back;
  }, MONTH);
  await app.page.evaluate((back) => {
    const now = Date.now;
    Date.now = () => now() - back;
  }, MONTH);
  await card.approve.click();
  // The second request is made and expires by the clock as it is now; what is left of its time is as long as it is.
  const second = await openCard(ui.cards().filter({ hasText: 'touch' }).last());
  await expect(second.timeLeft).toHaveText(/^0:(10|0\d)$/);
  await app.reached(sessionId, 'completed', 40_000);
  expect(existsSync(join(workspace, 'a'))).toBe(true);
  expect(existsSync(join(workspace, 'b'))).toBe(false);
  expect(
    app.journal
      .requests(sessionId)
      .map(({ state }) => state)
      .sort(),
  ).toEqual(['approved', 'expired']);
  const types = app.journal.events(sessionId).map(({ body }) => body.type);
  expect(types.at(-1)).toBe('run_ended');
  const { session } = await ask(app.page, 'getSession', { sessionId });
  expect(session.workingMs).toBeLessThan(60_000);
  expect(session.waitingMs).toBeLessThan(60_000);
  await expect(ui.timeline.getByRole('article').last()).toHaveAccessibleName('Run ended');
  await expect(ui.main).not.toContainText(/-\d+\s?(s|ms|m)\b/);
});
