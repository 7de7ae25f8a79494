import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionId } from '../../src/shared/ids';
import { calls, runs, says, scripted } from '../support/agents';
import { expect, type SaysoApp, test } from '../support/app';
import { type Console, consoleOf, openCard } from '../support/console';

const SESSION = 'This command in this session';
const EXACT = 'This exact command';
const AGENT = 'This command for this agent until quit';

/** Approves the request that waits, and remembers that as one of the choices. */
async function approveAnd(ui: Console, title: string, remember: string): Promise<void> {
  const card = await openCard(ui.cards(title));
  await card.remember.selectOption({ label: remember });
  await card.approve.click();
}

function startedBy(app: SaysoApp, sessionId: SessionId): string[] {
  return app.journal.bodies(sessionId, 'call_started').map((call) => call.allowedBy);
}

test('“in this session” covers the command with other arguments, and no other command', async ({
  launch,
  makeFolder,
}) => {
  const turns = [runs('git', '--version'), runs('git', 'help', '-a'), runs('touch', 'other'), says('Over.')];
  const app = await launch({ agents: scripted('gitter', turns) });
  const ui = consoleOf(app.page);
  const workspace = await makeFolder();
  const sessionId = await app.start({ agent: 'gitter', prompt: 'Look at git', workspace });
  await ui.open('Look at git');

  const card = await openCard(ui.cards());
  await expect(card.remember).toHaveValue('');
  await card.remember.selectOption({ label: SESSION });
  await expect(card.card).toContainText(/git with any arguments: that is any command whatever, in this session/);
  await card.approve.click();

  // The second git has run without a question; touch asks.
  const other = await openCard(ui.cards().filter({ hasText: 'touch' }));
  await expect(other.command).toHaveText(['touch', 'other']);
  expect(startedBy(app, sessionId)).toEqual(['operator', 'grant']);
  expect(existsSync(join(workspace, 'other'))).toBe(false);
  await expect(ui.grants).toContainText('git with any arguments');
  await expect(ui.grants).toContainText(/used 1 time/);
  await other.decline.click();
  await app.reached(sessionId, 'completed');
  expect(app.journal.bodies(sessionId, 'grant_used')).toHaveLength(1);
});

test('what is remembered in one session asks again in another', async ({ launch, makeFolder }) => {
  const app = await launch({ agents: scripted('gitter', [runs('git', '--version'), says('Over.')]) });
  const ui = consoleOf(app.page);
  const first = await app.start({ agent: 'gitter', prompt: 'The first session', workspace: await makeFolder() });
  await approveAnd(ui, 'The first session', SESSION);
  await app.reached(first, 'completed');

  const second = await app.start({ agent: 'gitter', prompt: 'The second session', workspace: await makeFolder() });
  const card = await openCard(ui.cards('The second session'));
  expect(startedBy(app, second)).toEqual([]);
  await card.decline.click();
  await app.reached(second, 'completed');
});

test('“in this session” is kept with the session when it is taken up again', async ({ launch, makeFolder }) => {
  const sections = { end: [runs('git', '--version'), says('Over again.')] };
  const app = await launch({ agents: scripted('gitter', [runs('git', '--version'), says('Over.')], { sections }) });
  const sessionId = await app.start({ agent: 'gitter', prompt: 'Come back later', workspace: await makeFolder() });
  await approveAnd(consoleOf(app.page), 'Come back later', SESSION);
  await app.reached(sessionId, 'completed');
  await app.quit();

  const back = await launch({ home: app.home });
  const ui = consoleOf(back.page);
  await ui.open('Come back later');
  await ui.message.fill('Once more');
  await ui.send.click();
  await expect.poll(() => startedBy(back, sessionId)).toEqual(['operator', 'grant']);
  await back.reached(sessionId, 'completed');
});

test('“exact” covers only this very command', async ({ launch, makeFolder }) => {
  const turns = [runs('git', '--version'), runs('git', '--version'), runs('git', '--version', '--build-options')];
  const app = await launch({ agents: scripted('gitter', [...turns, says('Over.')]) });
  const ui = consoleOf(app.page);
  const sessionId = await app.start({ agent: 'gitter', prompt: 'Be exact', workspace: await makeFolder() });
  await approveAnd(ui, 'Be exact', EXACT);

  const other = await openCard(ui.cards().filter({ hasText: '--build-options' }));
  expect(startedBy(app, sessionId)).toEqual(['operator', 'grant']);
  await other.decline.click();
  await app.reached(sessionId, 'completed');
});

test('“for this agent” reaches across sessions, but not to another agent, and ends with the app', async ({
  launch,
  makeFolder,
}) => {
  const turns = [runs('git', '--version'), says('Over.')];
  const agents = { ...scripted('gitter', turns), ...scripted('stranger', turns) };
  const app = await launch({ agents });
  const ui = consoleOf(app.page);
  const first = await app.start({ agent: 'gitter', prompt: 'The first session', workspace: await makeFolder() });
  await approveAnd(ui, 'The first session', AGENT);
  await app.reached(first, 'completed');
  const second = await app.start({ agent: 'gitter', prompt: 'The second session', workspace: await makeFolder() });
  await app.reached(second, 'completed');
  expect(startedBy(app, second)).toEqual(['grant']);

  const foreign = await app.start({ agent: 'stranger', prompt: 'A stranger', workspace: await makeFolder() });
  await app.reached(foreign, 'waiting');
  expect(startedBy(app, foreign)).toEqual([]);
  await app.quit();

  const later = await launch({ home: app.home });
  const third = await later.start({ agent: 'gitter', prompt: 'After a restart', workspace: await makeFolder() });
  await later.reached(third, 'waiting');
  expect(startedBy(later, third)).toEqual([]);
});

test('an agent’s grant releases the matching request that already waits, and no other', async ({
  launch,
  makeFolder,
}) => {
  const agents = {
    ...scripted('gitter', [runs('git', '--version'), says('Over.')]),
    ...scripted('toucher', [runs('touch', 'made'), says('Over.')]),
  };
  const app = await launch({ agents });
  const ui = consoleOf(app.page);
  const [one, two] = [await makeFolder(), await makeFolder()];
  const first = await app.start({ agent: 'gitter', prompt: 'The first session', workspace: one });
  const second = await app.start({ agent: 'gitter', prompt: 'The second session', workspace: two });
  const third = await app.start({ agent: 'toucher', prompt: 'The third session', workspace: one });
  await expect(ui.cards()).toHaveCount(3);

  await approveAnd(ui, 'The second session', AGENT);
  await app.reached(first, 'completed');
  await app.reached(second, 'completed');
  expect(app.journal.requests(first)).toMatchObject([{ state: 'approved', settlement: { by: 'grant' } }]);
  expect(app.journal.requests(third)).toMatchObject([{ state: 'pending' }]);
  expect(existsSync(join(one, 'made'))).toBe(false);
});

test('a revoked grant covers nothing any more', async ({ launch, makeFolder }) => {
  const turns = [runs('git', '--version'), runs('touch', 'between'), runs('git', '--version'), says('Over.')];
  const app = await launch({ agents: scripted('gitter', turns) });
  const ui = consoleOf(app.page);
  const sessionId = await app.start({ agent: 'gitter', prompt: 'Take it back', workspace: await makeFolder() });
  await ui.open('Take it back');
  await approveAnd(ui, 'Take it back', SESSION);
  const between = await openCard(ui.cards().filter({ hasText: 'touch' }));

  await ui.grants.getByRole('button', { name: 'Revoke' }).click();
  await expect(ui.grants).toHaveCount(0);
  expect(app.journal.grants()).toMatchObject([{ uses: 0, revoked_at: expect.any(Number) }]);
  await between.decline.click();
  const again = await openCard(ui.cards().filter({ hasText: '--version' }).last());
  expect(startedBy(app, sessionId)).toEqual(['operator']);
  await again.decline.click();
  await app.reached(sessionId, 'completed');
});

test('for the shell, remembering says that it covers any command whatever, and is never preselected', async ({
  launch,
  makeFolder,
}) => {
  const turns = [calls('shell', { command: 'echo one > one' }), calls('shell', { command: 'echo two > two' })];
  const app = await launch({ agents: scripted('sheller', [...turns, says('Over.')]) });
  const ui = consoleOf(app.page);
  const workspace = await makeFolder();
  const sessionId = await app.start({ agent: 'sheller', prompt: 'Any command', workspace });

  const card = await openCard(ui.cards());
  await expect(card.remember).toHaveValue('');
  await card.remember.selectOption({ label: SESSION });
  await expect(card.card).toContainText(/any shell command whatever/i);
  await card.remember.selectOption({ label: EXACT });
  await card.approve.click();
  const second = await openCard(ui.cards().filter({ hasText: 'echo two' }));
  expect(existsSync(join(workspace, 'two'))).toBe(false);
  await second.decline.click();
  await app.reached(sessionId, 'completed');
});
