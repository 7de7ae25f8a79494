import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { says, scripted } from '../support/agents';
import { expect, type SaysoApp, test } from '../support/app';
import { consoleOf, openCard } from '../support/console';

const DEMO_TITLE = 'Bring CHANGELOG.md in step with the history of this repository.';

/** Starts the demo with its button, and waits until it asks for its edit. */
async function startDemo(app: SaysoApp) {
  const ui = consoleOf(app.page);
  await ui.demo.click();
  const card = await openCard(ui.cards().filter({ has: app.page.getByText('edit_file') }));
  const session = app.journal.sessions()[0];
  if (session === undefined) throw new Error('the demo is not on record');
  const changelog = () => readFile(join(session.workspace, 'CHANGELOG.md'), 'utf8');
  return { ui, card, session, changelog };
}

test('the demo lists and reads files, and its edit waits in the inbox without touching the file', async ({
  launch,
  makeFolder,
}) => {
  const app = await launch({ env: { TMPDIR: await makeFolder() } });
  const { ui, card, session, changelog } = await startDemo(app);

  await expect(ui.main.getByRole('heading', { name: DEMO_TITLE })).toBeVisible();
  await expect(ui.status).toHaveText('Waiting for you');
  await expect(ui.timeline.getByRole('article', { name: 'Call: list_dir' })).toBeVisible();
  await expect(ui.timeline.getByRole('article', { name: 'Call: read_file' })).toHaveCount(3);
  await expect(card.card).toHaveAccessibleName('Approval: edit_file');
  await expect(card.command).toHaveText(['edit_file', 'CHANGELOG.md']);
  await expect(card.card.getByText('A bell rings when the tea is ready.')).toBeVisible();
  expect(await changelog()).not.toContain('0.3.0');
  expect(app.journal.bodies(session.id, 'call_started').map((call) => call.tool)).not.toContain('edit_file');
});

test('Approve changes the file on disk, and the demo goes on to its end', async ({ launch, makeFolder }) => {
  const app = await launch({ env: { TMPDIR: await makeFolder() } });
  const { ui, card, session, changelog } = await startDemo(app);

  await card.approve.click();
  await expect.poll(changelog).toContain('## 0.3.0');
  const diff = await openCard(ui.cards().filter({ hasText: 'run_command' }));
  await expect(diff.command).toHaveText(['git', 'diff', '--stat']);
  await diff.approve.click();
  const question = await openCard(ui.cards().filter({ hasText: 'Shall I commit this change?' }));
  await question.card.getByRole('button', { name: 'Yes', exact: true }).click();
  const commit = await openCard(ui.cards().filter({ hasText: 'commit' }).filter({ hasText: '--message' }));
  await commit.approve.click();

  await expect(ui.status).toHaveText('Completed');
  const log = execFileSync('git', ['log', '-1', '--format=%s'], { cwd: session.workspace, encoding: 'utf8' });
  expect(log.trim()).toBe('Bring the changelog up to 0.3.0');
});

test('Decline leaves the file and tells the model so in the fixed words', async ({ launch, makeFolder }) => {
  const app = await launch({ env: { TMPDIR: await makeFolder() } });
  const { ui, card, session, changelog } = await startDemo(app);
  const before = await changelog();

  await card.decline.click();
  await expect(ui.status).toHaveText('Completed');
  expect(await changelog()).toBe(before);

  const [denied] = app.journal.bodies(session.id, 'tool_denied');
  expect(denied).toMatchObject({ tool: 'edit_file', outcome: 'declined' });
  expect(denied?.reason).toMatch(/^Denied: the operator declined edit_file\b/);
  expect(denied?.reason).toMatch(/final/);
  expect(denied?.reason).toMatch(/do not retry.*work around/);
  // The next turn of the script repeats what the model was told.
  expect(lastWords(app, session.id)).toContain(denied?.reason ?? 'nothing');
  await expect(ui.timeline.getByRole('article', { name: 'Call: edit_file' })).toContainText('declined by you');
});

test('the reason of a decline reaches the model in the operator’s own words', async ({ launch, makeFolder }) => {
  const app = await launch({ env: { TMPDIR: await makeFolder() } });
  const { ui, card, session } = await startDemo(app);

  await card.reason.fill('Not before the release');
  await card.decline.click();
  await expect(ui.status).toHaveText('Completed');

  const [denied] = app.journal.bodies(session.id, 'tool_denied');
  expect(denied?.reason).toMatch(/^Denied: the operator declined edit_file\b/);
  expect(denied?.reason).toContain('Not before the release');
  expect(lastWords(app, session.id)).toContain('Not before the release');
});

test('finished sessions are listed and found after a restart', async ({ launch, makeFolder }) => {
  const agents = scripted('weaver', [says('The loom is threaded with heliotrope yarn.')]);
  const app = await launch({ agents, env: { TMPDIR: await makeFolder() } });
  const { ui, card, changelog } = await startDemo(app);
  await card.decline.click();
  await expect(ui.status).toHaveText('Completed');
  const later = await app.start({ agent: 'weaver', prompt: 'Thread the loom', workspace: await makeFolder() });
  await app.reached(later, 'completed');
  const kept = await changelog();
  await app.quit();

  const again = consoleOf((await launch({ home: app.home })).page);
  const links = again.sessions.getByRole('link');
  await expect(links).toHaveCount(2);
  const search = again.sessions.getByRole('searchbox', { name: 'Search sessions' });
  await search.fill('heliotrope');
  await expect(links).toHaveCount(1);
  await again.open('Thread the loom');
  await expect(again.timeline).toContainText('The loom is threaded with heliotrope yarn.');
  await expect(again.status).toHaveText('Completed');
  await search.fill('CHANGELOG');
  await expect(links).toHaveCount(1);
  await again.open(DEMO_TITLE);
  await expect(again.timeline.getByRole('article', { name: 'Call: edit_file' })).toContainText('declined by you');
  await search.fill('a word that nobody said');
  await expect(links).toHaveCount(0);
  await search.fill('');
  await expect(links).toHaveCount(2);
  expect(await changelog()).toBe(kept);
});

function lastWords(app: SaysoApp, sessionId: Parameters<SaysoApp['journal']['bodies']>[0]): string {
  const message = app.journal.bodies(sessionId, 'assistant_message').at(-1);
  return (message?.blocks ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('');
}
