import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import Database from 'better-sqlite3';
import type { SessionId } from '../../src/shared/ids';
import { runs, says, scripted } from '../support/agents';
import { expect, type SaysoApp, test } from '../support/app';
import { type Console, consoleOf, openCard } from '../support/console';
import { answerDialogs } from '../support/dialogs';

async function menu(app: SaysoApp, ui: Console, item: string): Promise<void> {
  await ui.main.getByRole('button', { name: 'Session menu' }).click();
  await app.page.getByRole('menuitem', { name: item }).click();
}

/** The files below a folder in which any of these words stands, in whatever page of whatever file. */
function traces(folder: string, words: readonly string[]): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      const text = readFileSync(path).toString('latin1');
      return words.some((word) => text.includes(word) || text.includes([...word].join('\0')));
    })
    .map((path) => relative(folder, path));
}

/** A session in which one command was declined. */
async function declined(app: SaysoApp, ui: Console, workspace: string) {
  const sessionId = await app.start({ agent: 'toucher', prompt: 'Touch the quokka', workspace });
  await ui.open('Touch the quokka');
  const card = await openCard(ui.cards());
  await card.decline.click();
  await app.reached(sessionId, 'completed');
  return sessionId;
}

const AGENT = scripted('toucher', [runs('touch', 'zanzibar'), says('It was not touched.')]);

test('a search finds entries by words and filters, and a hit opens the session at its place', async ({
  launch,
  makeFolder,
}) => {
  const app = await launch({ agents: AGENT });
  const ui = consoleOf(app.page);
  await declined(app, ui, await makeFolder());
  const box = ui.sessions.getByRole('searchbox', { name: 'Search sessions' });
  const found = ui.sessions.getByRole('region', { name: 'Found in journals' });

  await box.fill('outcome:declined tool:run_command zanzibar');
  await expect(found.getByRole('button')).toHaveCount(1);
  await expect(found.getByRole('button')).toContainText('decided');
  await expect(found.locator('mark')).toHaveText(['zanzibar']);
  await found.getByRole('button').click();
  await expect(ui.main.getByRole('heading', { name: 'Touch the quokka' })).toBeVisible();
  await expect(ui.timeline.locator('.found')).toContainText('zanzibar');

  await box.fill('colour:red');
  await expect(found).toContainText('There is no filter "colour:"');
  await box.fill('outcome:approved zanzibar');
  await expect(found).toContainText('No entry has all of this.');
  await box.fill('');
  await expect(found).toHaveCount(0);
});

test('a session is renamed, pinned, forked and, after asking, deleted for good', async ({ launch, makeFolder }) => {
  const app = await launch({ agents: AGENT });
  const ui = consoleOf(app.page);
  const sessionId = await declined(app, ui, await makeFolder());

  await menu(app, ui, 'Rename…');
  const rename = app.page.getByRole('dialog', { name: 'Rename the session' });
  await rename.getByRole('textbox', { name: 'Title' }).fill('Quokka matters');
  await rename.getByRole('button', { name: 'Rename' }).click();
  await expect(ui.main.getByRole('heading', { name: 'Quokka matters' })).toBeVisible();
  await menu(app, ui, 'Pin');
  await expect(ui.sessions.getByText('Pinned')).toBeVisible();

  await expect(ui.sessions.getByRole('link', { name: 'Quokka matters' })).toHaveAccessibleDescription(/toucher/);
  await expect(ui.sessions.getByText(/2 turns, .* tokens, .*, 0 approved, 1 denied/)).toBeAttached();
  await menu(app, ui, 'Fork from here');
  await expect(ui.main.getByRole('heading', { name: 'Quokka matters (fork)' })).toBeVisible();
  await expect(ui.main.getByRole('button', { name: 'forked from “Quokka matters”' })).toBeVisible();
  await expect(ui.timeline).toContainText('Forked. What follows is new.');
  expect(app.journal.sessions()).toHaveLength(2);

  await ui.main.getByRole('button', { name: 'forked from “Quokka matters”' }).click();
  await menu(app, ui, 'Delete…');
  const asks = app.page.getByRole('dialog', { name: 'Delete the session' });
  await expect(asks).toContainText(/1 session with \d+ entries/);
  const stays = asks.getByRole('list', { name: 'What stays' });
  await expect(stays).toContainText('1 fork keeps a copy of what it took over, and its title.');
  await expect(stays).toContainText('Exports and backups that you made');
  await expect(stays).not.toContainText('older store');
  await asks.getByRole('button', { name: 'Keep it' }).click();
  expect(app.journal.session(sessionId)).toBeDefined();
  await menu(app, ui, 'Delete…');
  await asks.getByRole('button', { name: 'Delete for good' }).click();
  await expect(asks).toHaveCount(0);
  await expect.poll(() => app.journal.session(sessionId)).toBeUndefined();
  expect(app.journal.events(sessionId)).toEqual([]);
});

test('a fork goes on from the middle of a session: from the entry whose button is pressed', async ({
  launch,
  makeFolder,
}) => {
  const turns = [runs('true'), says('It is done.'), says('And a second time.'), says('Another way.')];
  const app = await launch({
    agents: scripted('walker', turns, { guardrails: { approvalMode: 'auto' } }),
  });
  const ui = consoleOf(app.page);
  const sessionId = await app.start({ agent: 'walker', prompt: 'Walk on', workspace: await makeFolder() });
  await ui.open('Walk on');
  await app.reached(sessionId, 'completed');
  await ui.message.fill('Once more');
  await ui.send.click();
  await expect(ui.timeline).toContainText('And a second time.');
  await app.reached(sessionId, 'completed');

  const types = (id: SessionId) => app.journal.events(id).map(({ body }) => body.type);
  const forked = async (entry: string) => {
    const known = new Set(app.journal.sessions().map(({ id }) => id));
    const button = ui.timeline
      .getByRole('article', { name: entry })
      .first()
      .getByRole('button', { name: 'Fork from here' });
    // With the keyboard, as it is not to be seen until it is pointed at.
    await button.focus();
    await app.page.keyboard.press('Enter');
    await expect(ui.main.getByRole('heading', { name: /^Walk on \(fork/ })).toBeVisible();
    const made = app.journal.sessions().find(({ id }) => !known.has(id));
    if (made === undefined) throw new Error('no fork was made');
    return made.id as SessionId;
  };

  const whole = await forked('Run ended');
  expect(app.journal.session(whole)?.state).toBe('completed');
  expect(types(whole).filter((type) => type === 'user_message')).toHaveLength(1);
  expect(types(whole).slice(-2)).toEqual(['run_ended', 'notice']);
  await expect(ui.timeline).toContainText('It is done.');
  await expect(ui.timeline).not.toContainText('And a second time.');

  await ui.open('Walk on');
  const cut = await forked('Call: run_command');
  expect(types(cut).slice(-3)).toEqual(['call_result', 'run_ended', 'notice']);
  await expect(ui.status).toHaveText('Interrupted');
  await expect(ui.timeline).not.toContainText('It is done.');
});

test('what is deleted stands in no file of the data folder any more', async ({ launch, makeFolder }) => {
  const home = await makeFolder();
  const first = await launch({ home, agents: AGENT });
  const sessionId = await declined(first, consoleOf(first.page), await makeFolder());
  await first.quit();
  // The next start makes the first backup that the session stands in.
  rmSync(join(home, 'backups'), { recursive: true });
  const app = await launch({ home });
  const ui = consoleOf(app.page);
  await ui.open('Touch the quokka');
  const found = () => traces(home, ['quokka', 'zanzibar']);
  await expect.poll(found).toContain(join('backups', 'last.sqlite'));
  expect(found()).toContain('sayso.sqlite');

  await menu(app, ui, 'Delete…');
  await app.page.getByRole('button', { name: 'Delete for good' }).click();
  await expect.poll(() => app.journal.session(sessionId)).toBeUndefined();
  await expect.poll(found).toEqual([]);
  expect(readdirSync(join(home, 'backups'))).toEqual(['last.sqlite']);
});

test('a cleared conversation begins anew, with the same agent and without its remembered approvals', async ({
  launch,
  makeFolder,
}) => {
  const app = await launch({ agents: AGENT });
  const ui = consoleOf(app.page);
  const before = await app.start({ agent: 'toucher', prompt: 'Touch the quokka', workspace: await makeFolder() });
  await ui.open('Touch the quokka');
  const card = await openCard(ui.cards());
  await card.remember.selectOption({ label: 'This command in this session' });
  await card.approve.click();
  await app.reached(before, 'completed');

  await menu(app, ui, 'Clear: begin a new conversation');
  await expect(ui.main.getByRole('button', { name: 'after “Touch the quokka”' })).toBeVisible();
  expect(app.journal.grants()).toMatchObject([{ revoked_at: expect.any(Number) }]);
  await expect(ui.main.getByRole('heading', { name: 'Touch the quokka (cleared)' })).toBeVisible();
  await ui.message.fill('Once more\nand with care');
  await ui.send.click();
  await expect(ui.main.getByRole('heading', { name: 'Once more', exact: true })).toBeVisible();
  const again = await openCard(ui.cards());
  await expect(again.command).toHaveText(['touch', 'zanzibar']);
});

test('a session that another process runs is left to it, and it is said which one', async ({ launch, makeFolder }) => {
  const app = await launch({ agents: AGENT });
  const ui = consoleOf(app.page);
  const sessionId = await declined(app, ui, await makeFolder());
  const other = new Database(app.journal.file);
  other.prepare("INSERT INTO holders VALUES (?, ?, 'unknown', ?)").run(sessionId, process.pid, Date.now());
  await ui.message.fill('Go on');
  await ui.send.click();
  await expect(app.page.getByText(`Another Sayso runs this session: process ${process.pid}`)).toBeVisible();
  await menu(app, ui, 'Delete…');
  await app.page.getByRole('button', { name: 'Delete for good' }).click();
  await expect(app.page.getByText(/It runs: “Touch the quokka”. Nothing was deleted./)).toBeVisible();
  other.prepare('DELETE FROM holders').run();
  other.close();
});

test('a rule for old sessions is off, shows by name what it would delete, and deletes only on demand', async ({
  launch,
  makeFolder,
}) => {
  const app = await launch({ agents: AGENT });
  const ui = consoleOf(app.page);
  const sessionId = await declined(app, ui, await makeFolder());
  await app.page.getByRole('button', { name: 'Settings' }).click();
  const page = app.page.getByRole('main', { name: 'Settings' });
  await expect(page).toContainText('Every session is kept until you delete it.');
  await page.getByRole('button', { name: 'Show what would go' }).click();
  await expect(page).toContainText('Nothing would go.');

  const store = new Database(app.journal.file);
  store.prepare('UPDATE sessions SET updated_at = updated_at - 100 * 86400000').run();
  store.close();
  await page.getByRole('button', { name: 'Show what would go' }).click();
  await expect(page.getByRole('list', { name: 'Sessions that would go' })).toContainText('Touch the quokka');
  expect(app.journal.session(sessionId)).toBeDefined();
  await page.getByRole('button', { name: 'Delete these now' }).click();
  await expect(app.page.getByText('1 session was deleted.')).toBeVisible();
  await expect.poll(() => app.journal.session(sessionId)).toBeUndefined();
});

test('the statistics say what was spent and how it was decided', async ({ launch, makeFolder }) => {
  const app = await launch({ agents: AGENT });
  const ui = consoleOf(app.page);
  await declined(app, ui, await makeFolder());
  await app.page.getByRole('button', { name: 'Statistics' }).click();
  const page = app.page.getByRole('main', { name: 'Statistics' });
  await expect(page.getByRole('region', { name: 'Decisions by kind' })).toContainText('declined, by you');
  const over = page.getByRole('region', { name: 'Decisions over time' }).getByRole('listitem');
  await expect(over.last()).toHaveText(/^\d+ \w+: declined 1$/);
  await expect(page.getByRole('region', { name: 'Cost', exact: true })).toContainText('None in this time.');
  await expect(page.getByRole('region', { name: 'Tokens of each agent' }).getByRole('listitem')).toContainText(
    'toucher',
  );
  await expect(page.getByRole('region', { name: 'Time of runs' })).toContainText('waiting for you');
  await page.getByRole('combobox', { name: 'Span' }).selectOption({ label: 'The last year' });
  await expect(page.getByRole('region', { name: 'Tokens', exact: true }).getByRole('listitem')).toHaveCount(53);
  await expect(page.getByRole('row', { name: /toucher/ })).toBeVisible();
});

test('a session is exported, deleted and taken in again, and read as a page', async ({ launch, makeFolder }) => {
  const app = await launch({ agents: AGENT });
  const ui = consoleOf(app.page);
  const folder = await makeFolder();
  const sessionId = await declined(app, ui, folder);
  const before = app.journal.events(sessionId).map(({ body }) => body);

  await answerDialogs(app, join(folder, 'quokka.html'));
  await menu(app, ui, 'Export as HTML: secrets redacted…');
  await expect(app.page.getByText(/written to .*quokka\.html/)).toBeVisible();
  expect(readFileSync(join(folder, 'quokka.html'), 'utf8')).toContain('declined by you');

  await answerDialogs(app, join(folder, 'quokka.jsonl'));
  await menu(app, ui, 'Export as JSON Lines: whole, with secrets…');
  await expect(app.page.getByText(/written to .*quokka\.jsonl/)).toBeVisible();
  await menu(app, ui, 'Delete…');
  await app.page.getByRole('button', { name: 'Delete for good' }).click();
  await expect.poll(() => app.journal.session(sessionId)).toBeUndefined();

  await app.page.keyboard.press('ControlOrMeta+k');
  await app.page.getByPlaceholder('Go to, search, do…').fill('take in');
  await app.page.keyboard.press('Enter');
  await expect(ui.main.getByRole('heading', { name: 'Touch the quokka' })).toBeVisible();
  expect(app.journal.events(sessionId).map(({ body }) => body)).toEqual(before);
});

test('a session from another machine goes on with the agent and in the folder that the operator names', async ({
  launch,
  makeFolder,
}) => {
  const first = await launch({ agents: AGENT });
  const folder = await makeFolder();
  const path = join(await makeFolder(), 'quokka.jsonl');
  const sessionId = await declined(first, consoleOf(first.page), folder);
  await answerDialogs(first, path);
  await menu(first, consoleOf(first.page), 'Export as JSON Lines: whole, with secrets…');
  await expect(first.page.getByText(/written to .*quokka\.jsonl/)).toBeVisible();
  await first.quit();

  const app = await launch({ home: await makeFolder(), agents: AGENT });
  const ui = consoleOf(app.page);
  await expect(ui.demo).toBeVisible();
  await answerDialogs(app, path);
  await app.page.keyboard.press('ControlOrMeta+k');
  await app.page.getByPlaceholder('Go to, search, do…').fill('take in');
  await app.page.keyboard.press('Enter');
  await expect(ui.main.getByRole('heading', { name: 'Touch the quokka' })).toBeVisible();
  await ui.message.fill('Once more');
  await ui.send.click();

  const asks = app.page.getByRole('dialog', { name: 'Go on here' });
  await expect(asks).toContainText('It was held by toucher in');
  await expect(asks).toContainText(folder);
  await expect(asks.getByRole('combobox', { name: 'Agent' })).toHaveText(/toucher/);
  await asks.getByRole('button', { name: 'Go on', exact: true }).click();
  await expect(asks.getByRole('alert')).toHaveText('Say in which folder it goes on.');
  await asks.getByRole('textbox', { name: 'Workspace' }).fill('/no/such/folder');
  await asks.getByRole('button', { name: 'Go on', exact: true }).click();
  await expect(asks.getByRole('alert')).toContainText('The workspace /no/such/folder is not there.');
  const other = await makeFolder();
  await asks.getByRole('textbox', { name: 'Workspace' }).fill(other);
  await asks.getByRole('button', { name: 'Go on', exact: true }).click();
  await expect(asks).toHaveCount(0);
  await expect(ui.message).toHaveValue('');
  await expect(ui.timeline).toContainText(`It goes on here, as you chose: the agent toucher`);
  await app.reached(sessionId, 'completed');
  expect(app.journal.session(sessionId)?.workspace).toBe(other);

  await ui.message.fill('And again');
  await ui.send.click();
  await expect(ui.timeline.getByRole('article', { name: 'Run started' })).toHaveCount(2);
  await expect(asks).toHaveCount(0);
});
