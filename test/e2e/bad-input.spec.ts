import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { calls, claude, runs, says, scripted } from '../support/agents';
import { expect, type SaysoApp, serverEnvironment, spawnApp, test } from '../support/app';
import { call } from '../support/bridge';
import { consoleOf } from '../support/console';
import { makeReadOnly } from '../support/folders';
import { failure, say } from '../support/messages-server';

const FINE = scripted('fine', [runs('touch', 'made'), says('Over.')]);

interface NewRun {
  readonly agent: string;
  readonly workspace: string;
}

/** Fills in the start dialog. */
async function fillNewRun(app: SaysoApp, { agent, workspace }: NewRun) {
  await consoleOf(app.page).newRun.click();
  const dialog = app.page.getByRole('dialog', { name: 'New run' });
  const agents = dialog.getByRole('combobox', { name: 'Agent' });
  await expect(agents.getByRole('option', { name: agent })).toBeAttached();
  await agents.selectOption({ label: agent });
  await dialog.getByRole('textbox', { name: 'Prompt' }).fill('Do it');
  await dialog.getByRole('textbox', { name: 'Workspace' }).fill(workspace);
  return { dialog, start: dialog.getByRole('button', { name: 'Start run' }) };
}

async function expectRefused(app: SaysoApp, run: NewRun, words: RegExp): Promise<void> {
  const { dialog, start } = await fillNewRun(app, run);
  await start.click();
  await expect(dialog.getByRole('alert')).toContainText(words);
  await expect(dialog.getByRole('alert')).not.toContainText(/\bat .*\.js|ENOENT|EACCES|EROFS|undefined|\[object/);
  await expect(dialog.getByRole('textbox', { name: 'Prompt' })).toHaveValue('Do it');
  expect(app.journal.sessions()).toEqual([]);
}

test('the start dialog starts a run with an agent, a prompt, a folder and a mode', async ({ launch, makeFolder }) => {
  const app = await launch({ agents: FINE });
  const workspace = await makeFolder();
  const { dialog, start } = await fillNewRun(app, { agent: 'fine', workspace });
  await dialog.getByRole('combobox', { name: 'Approval mode' }).selectOption('auto');
  await start.click();
  await expect(dialog).toHaveCount(0);
  const ui = consoleOf(app.page);
  await expect(ui.main.getByRole('heading', { name: 'Do it' })).toBeVisible();
  await expect(ui.status).toHaveText('Completed');
  expect(existsSync(join(workspace, 'made'))).toBe(true);
});

const BROKEN = [
  { what: 'an unknown key', text: 'name: broken\nscrpt: ./a.yaml\n', place: '2:1', words: /unknown key "scrpt"/ },
  {
    what: 'an unknown value',
    text: 'name: broken\nguardrails:\n  approvalMode: yolo\n',
    place: '3:17',
    words: /expected one of auto, ask, readonly/,
  },
  {
    what: 'a wrong type',
    text: 'name: broken\nlimits: { maxTurns: many }\n',
    place: '2:21',
    words: /expected a.* number/,
  },
  {
    what: 'a duration out of bounds',
    text: 'name: broken\nguardrails: { approvalTimeout: 1s }\n',
    place: '2:32',
    words: /outside 5s/,
  },
  { what: 'a missing name', text: 'description: x\n', place: '1:1', words: /"name" is missing/ },
  { what: 'a syntax error', text: 'name: broken\nprompt: "no end\n', place: '', words: /YAML|quote|end/i },
  { what: 'nothing', text: '', place: '1:1', words: /empty/ },
  {
    what: 'a credential',
    text: 'name: broken\nenvironment: { pass: [ANTHROPIC_API_KEY] }\n',
    place: '2:23',
    words: /credential/,
  },
  { what: 'bytes that are no text', text: 'name: \xff\xfe', place: '', words: /UTF-8/ },
  {
    what: 'a script that is not there',
    text: 'name: broken\nprovider: scripted\nscript: ./none.yaml\n',
    place: '3:9',
    words: /none\.yaml.*not there/,
  },
  {
    what: 'an address in the list of hosts',
    text: 'name: broken\nsandbox: { network: ["https://a.example/x"] }\n',
    place: '2:22',
    words: /no scheme/,
  },
  { what: 'a host that is none', text: 'name: broken\nprivate_hosts: ["*.lan"]\n', place: '2:17', words: /NAME:PORT/ },
];

test('every broken agent file is listed with what is wrong, line and column, and cannot be started', async ({
  launch,
  makeFolder,
}) => {
  const app = await launch({ agents: FINE });
  const workspace = await makeFolder();
  for (const { what, text, place, words } of BROKEN) {
    const file = join(app.agentsFolder, 'broken.agent.yaml');
    await writeFile(file, text, 'latin1');
    await app.page.reload();
    await app.page.getByRole('button', { name: 'Agents', exact: true }).click();
    const item = app.page.getByRole('main', { name: 'Agents' }).getByRole('listitem').filter({ hasText: file });
    const warnings = item.getByRole('list', { name: 'Warnings' });
    await expect(warnings, what).toContainText(words);
    await expect(warnings, what).toContainText(place === '' ? /\d+:\d+|not|UTF-8/ : place);

    await consoleOf(app.page).newRun.click();
    const dialog = app.page.getByRole('dialog', { name: 'New run' });
    await dialog.getByRole('combobox', { name: 'Agent' }).selectOption(file);
    await expect(dialog, what).toContainText(words);
    await expect(dialog.getByRole('button', { name: 'Start run' }), what).toBeDisabled();
    const started = await call(app.page, 'startRun', { agentId: file, prompt: 'Do it', workspace, mode: null });
    expect(started, what).toMatchObject({
      ok: false,
      error: { code: 'refused', message: expect.stringMatching(words) },
    });
  }
  expect(app.journal.sessions()).toEqual([]);
});

test('an agent file that cannot be read is listed with the reason', async ({ launch }) => {
  const app = await launch({ agents: FINE });
  await mkdir(join(app.agentsFolder, 'folder.agent.yaml'));
  await symlink('/etc/hostname', join(app.agentsFolder, 'link.agent.yaml'));
  await writeFile(join(app.agentsFolder, 'huge.agent.yaml'), `# ${'x'.repeat(2_000_000)}`);
  await writeFile(join(app.agentsFolder, 'secret.agent.yaml'), 'name: secret\n');
  await chmod(join(app.agentsFolder, 'secret.agent.yaml'), 0o000);
  await app.page.reload();
  await app.page.getByRole('button', { name: 'Agents', exact: true }).click();
  const agents = app.page.getByRole('main', { name: 'Agents' }).getByRole('listitem');
  await expect(agents.filter({ hasText: 'folder.agent.yaml' })).toContainText('not a regular file');
  await expect(agents.filter({ hasText: 'link.agent.yaml' })).toContainText('symbolic link');
  await expect(agents.filter({ hasText: 'huge.agent.yaml' })).toContainText('too large');
  // Permissions do not stop root.
  const secret = process.getuid?.() === 0 ? 'secret' : 'permissions forbid it';
  await expect(agents.filter({ hasText: 'secret.agent.yaml' })).toContainText(secret);
});

test('an agent whose file has gone since it was chosen does not start, and no other one in its place', async ({
  launch,
  makeFolder,
}) => {
  const app = await launch({ agents: FINE });
  const { dialog, start } = await fillNewRun(app, { agent: 'fine', workspace: await makeFolder() });
  await rm(join(app.agentsFolder, 'fine.agent.yaml'));
  // The folder is watched: by now the dialog knows, and must not have chosen another agent by itself.
  await expect(dialog.getByRole('option', { name: 'fine', exact: true })).toHaveCount(0);
  if (await start.isEnabled()) await start.click();
  await expect(dialog).toContainText(/not there|gone|choose an agent/i);
  expect(app.journal.sessions()).toEqual([]);
});

test('an agents folder that is not there is said to be missing, and the app works', async ({ launch }) => {
  const app = await launch({ env: { SAYSO_AGENTS: '/nowhere/at/all' } });
  await expect(app.page.getByRole('alert').filter({ hasText: '/nowhere/at/all' })).toContainText('is not there');
  await expect(consoleOf(app.page).demo).toBeEnabled();
});

test('an unknown model ends the run with its name', async ({ launch, makeFolder, server }) => {
  const app = await launch({ agents: claude('typist', { model: 'claude-nonesuch' }), env: serverEnvironment(server) });
  const ui = consoleOf(app.page);
  server.enqueue(failure(404, 'model: claude-nonesuch'));
  await app.start({ agent: 'typist', prompt: 'Who are you?', workspace: await makeFolder() });
  await ui.open('Who are you?');
  await expect(ui.status).toHaveText('Failed');
  await expect(ui.timeline.getByRole('article', { name: 'Run ended' })).toContainText(/no model "claude-nonesuch"/);
  expect(server.requests).toHaveLength(1);
});

test('without a key nothing starts, and one that is given in the settings is used', async ({
  launch,
  makeFolder,
  server,
}) => {
  const app = await launch({ agents: claude('typist'), env: { ANTHROPIC_BASE_URL: server.url } });
  const workspace = await makeFolder();
  await expectRefused(app, { agent: 'typist', workspace }, /needs an Anthropic API key.*Settings/s);
  expect(server.requests).toEqual([]);

  await app.page.keyboard.press('Escape');
  await app.page.getByRole('button', { name: 'Settings', exact: true }).click();
  const settings = app.page.getByRole('main', { name: 'Settings' });
  await settings.getByLabel('API key').fill('sk-of-the-test');
  await settings.getByRole('button', { name: 'Save key' }).click();
  await expect(settings).toContainText(/in memory only|encrypted/);
  server.enqueue(say('Hello.'));
  const sessionId = await app.start({ agent: 'typist', prompt: 'Say hello', workspace });
  await app.reached(sessionId, 'completed');
  expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-of-the-test');
  const kept = await readFile(app.journal.file, 'latin1');
  expect(kept).not.toContain('sk-of-the-test');
});

test('a workspace that is not there, is a file, or is no whole path is refused', async ({ launch, makeFolder }) => {
  const app = await launch({ agents: FINE });
  const folder = await makeFolder({ 'file.txt': 'text' });
  const cases: [string, RegExp][] = [
    [join(folder, 'none'), /none is not there/],
    [join(folder, 'file.txt'), /is a file, not a folder/],
    ['relative/path', /not an absolute path/],
  ];
  for (const [workspace, words] of cases) {
    await expectRefused(app, { agent: 'fine', workspace }, words);
    await app.page.keyboard.press('Escape');
  }
  const { start, dialog } = await fillNewRun(app, { agent: 'fine', workspace: ' ' });
  await start.click();
  await expect(dialog.getByRole('alert')).toContainText(/choose the folder/i);
  expect(app.journal.sessions()).toEqual([]);
});

test('a workspace that cannot be written to is refused, and is enough for a run that only reads', async ({
  launch,
  makeFolder,
}) => {
  const agents = { ...FINE, ...scripted('reader', [calls('list_dir', { path: '.' }), says('Read.')]) };
  const app = await launch({ agents });
  const workspace = await makeFolder();
  const undo = await makeReadOnly(workspace);
  try {
    await expectRefused(app, { agent: 'fine', workspace }, /cannot be written to/);
    const sessionId = await app.start({ agent: 'reader', prompt: 'Read it', workspace, mode: 'readonly' });
    await app.reached(sessionId, 'completed');
  } finally {
    await app.dispose();
    await undo();
  }
});

/** Starts the app on a store that cannot be opened, and checks that it says so, starts nothing and keeps the bytes. */
async function expectStoreRefused(app: SaysoApp, words: RegExp, before: Buffer): Promise<void> {
  await expect(app.page.getByRole('alert').filter({ hasText: words }).first()).toBeVisible();
  await expect(app.page.locator('body')).not.toContainText(/\bat .*\.js:|SQLITE_|\[object/);
  const demo = await call(app.page, 'startDemo', {});
  expect(demo).toMatchObject({
    ok: false,
    error: { code: expect.stringMatching(/^(failed|damaged)$/), message: expect.stringMatching(words) },
  });
  await app.quit();
  expect((await readFile(app.journal.file)).equals(before)).toBe(true);
}

/** A data folder with a finished session in it. */
async function usedHome(app: SaysoApp, workspace: string): Promise<string> {
  const sessionId = await app.start({ agent: 'fine', prompt: 'An older session', workspace, mode: 'auto' });
  await app.reached(sessionId, 'completed');
  await app.quit();
  return app.home;
}

const DAMAGES: readonly { what: string; damage: (bytes: Buffer) => Buffer }[] = [
  { what: 'is no database at all', damage: () => Buffer.from('This is not a database. '.repeat(200)) },
  { what: 'has lost its second half', damage: (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2)) },
  { what: 'has a wrong page in its middle', damage: (bytes) => Buffer.from(bytes).fill(0xa5, 4096, 3 * 4096) },
];

for (const { what, damage } of DAMAGES) {
  test(`a store that ${what} is said to be damaged, and left as it is`, async ({ launch, makeFolder }) => {
    const home = await usedHome(await launch({ agents: FINE }), await makeFolder());
    const file = join(home, 'sayso.sqlite');
    const damaged = damage(await readFile(file));
    await writeFile(file, damaged);
    await expectStoreRefused(await launch({ home }), /is damaged/, damaged);
  });
}

test('a store of a newer version is refused and left as it is', async ({ launch, makeFolder }) => {
  const home = await usedHome(await launch({ agents: FINE }), await makeFolder());
  const file = join(home, 'sayso.sqlite');
  const database = new Database(file);
  database.pragma('user_version = 999');
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
  await expectStoreRefused(await launch({ home }), /newer Sayso.*999/, await readFile(file));
});

test('a store that another program has locked is said to be locked, and opens once it is free', async ({
  launch,
  makeFolder,
}) => {
  const home = await usedHome(await launch({ agents: FINE }), await makeFolder());
  const file = join(home, 'sayso.sqlite');
  const before = await readFile(file);
  const other = new Database(file);
  other.exec('BEGIN EXCLUSIVE');
  const app = await launch({ home });
  await expect(
    app.page
      .getByRole('alert')
      .filter({ hasText: /locked by another program/ })
      .first(),
  ).toBeVisible();
  expect(await call(app.page, 'startDemo', {})).toMatchObject({ ok: false, error: { code: 'failed' } });
  await app.quit();
  other.exec('ROLLBACK');
  other.close();
  expect((await readFile(file)).equals(before)).toBe(true);

  const back = await launch({ home });
  await consoleOf(back.page).open('An older session');
});

test('a data folder that cannot be written to is said to be so, and not to be in use', async ({ makeFolder }) => {
  const home = await makeFolder();
  const undo = await makeReadOnly(home);
  const app = spawnApp({ home, agents: await makeFolder() });
  const ended = once(app.process, 'exit');
  try {
    await expect.poll(app.output).toMatch(/cannot be (used|opened|written)/);
    expect(app.output()).not.toMatch(/already running|\bat .*\.js:/);
  } finally {
    app.process.kill('SIGKILL');
    await ended;
    await undo();
  }
});

test('settings that cannot be read are set aside, kept, and said so', async ({ launch, makeFolder }) => {
  const home = await makeFolder({ 'settings.json': '{ "theme": "purple" ' });
  const app = await launch({ home });
  const notice = app.page.getByRole('alert').filter({ hasText: 'settings' });
  await expect(notice).toContainText(/kept at .*settings\.json\.unreadable/);
  const aside = /kept at (\S+\.unreadable-\d+)/.exec((await notice.textContent()) ?? '')?.[1] ?? '';
  expect(await readFile(aside, 'utf8')).toBe('{ "theme": "purple" ');
  await expect(consoleOf(app.page).demo).toBeEnabled();
});
