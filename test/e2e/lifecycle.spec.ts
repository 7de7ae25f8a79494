import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JournalEvent } from '../../src/shared/events';
import type { SessionId } from '../../src/shared/ids';
import { claude, runs, says, scripted } from '../support/agents';
import { expect, type SaysoApp, serverEnvironment, test } from '../support/app';
import { ask, call } from '../support/bridge';
import { endlessCommand } from '../support/commands';
import { consoleOf, openCard } from '../support/console';
import { gate, say } from '../support/messages-server';
import { pidsWithArgument } from '../support/processes';

const auto = { guardrails: { approvalMode: 'auto' } } as const;

test('quitting while a request is open runs nothing and decides nothing; resuming asks the same again', async ({
  launch,
  makeFolder,
}) => {
  const app = await launch({ agents: scripted('worker', [runs('touch', 'made'), says('Over.')]) });
  const workspace = await makeFolder();
  const made = join(workspace, 'made');
  const sessionId = await app.start({ agent: 'worker', prompt: 'Ask before quitting', workspace });
  await app.reached(sessionId, 'waiting');
  const [before] = app.journal.requests(sessionId);
  await app.quit();

  expect(existsSync(made)).toBe(false);
  const [after] = app.journal.requests(sessionId);
  expect(after).toMatchObject({
    id: before?.id,
    state: 'interrupted',
    settlement: { outcome: 'interrupted', by: 'app' },
  });
  expect(after?.settlement).not.toHaveProperty('answer');
  expect(app.journal.bodies(sessionId, 'tool_denied')).toEqual([]);
  expect(app.journal.bodies(sessionId, 'call_started')).toEqual([]);
  expect(app.journal.session(sessionId)?.state).toBe('interrupted');

  const back = await launch({ home: app.home });
  const ui = consoleOf(back.page);
  await ui.open('Ask before quitting');
  await expect(ui.status).toHaveText('Interrupted');
  await expect(ui.timeline).not.toContainText(/declined|approved by you/);
  await expect(ui.cards()).toHaveCount(0);
  const stale = { requestId: after?.body.id, digest: after?.body.digest, answer: { type: 'approve', remember: null } };
  const late = await call(back.page, 'answerRequest', stale as Parameters<typeof call<'answerRequest'>>[2]);
  expect(late).toMatchObject({ ok: false, error: { code: 'conflict' } });

  await ui.resume.click();
  const card = await openCard(ui.cards());
  const again = back.journal.requests(sessionId).at(-1);
  expect(again?.id).not.toBe(before?.id);
  expect(again?.body.digest).toBe(before?.body.digest);
  expect(existsSync(made)).toBe(false);
  await card.approve.click();
  await back.reached(sessionId, 'completed');
  expect(existsSync(made)).toBe(true);
});

/** Collects, in the window, every event that is shown to it. */
async function collectShown(app: SaysoApp, sessionIds: SessionId[]): Promise<() => Promise<JournalEvent[]>> {
  await ask(app.page, 'watchSessions', { sessionIds });
  await app.page.evaluate(() => {
    const shown: unknown[] = [];
    Object.assign(globalThis, { shown });
    window.sayso.onPush((push) => {
      if (typeof push !== 'object' || push === null || !('events' in push) || !Array.isArray(push.events)) return;
      shown.push(...push.events);
    });
  });
  return () => app.page.evaluate(() => (globalThis as unknown as { shown: JournalEvent[] }).shown);
}

test('kill -9 while a run streams and a command runs loses no event that was shown, and leaves no process', async ({
  launch,
  makeFolder,
  server,
}) => {
  const mark = `sayso-e2e-${randomUUID()}`;
  const agents = { ...claude('streamer'), ...scripted('runner', [runs(...endlessCommand(mark)), says('Over.')], auto) };
  const app = await launch({ agents, env: serverEnvironment(server) });
  const hold = gate();
  const words = Array.from({ length: 200 }, (_, index) => `word${index} `);
  server.enqueue(say(...words, hold, 'never sent'));
  const streaming = await app.start({ agent: 'streamer', prompt: 'Stream on', workspace: await makeFolder() });
  const running = await app.start({ agent: 'runner', prompt: 'Run on', workspace: await makeFolder() });
  await consoleOf(app.page).open('Stream on');
  const shown = await collectShown(app, [streaming, running]);
  await hold.reached;
  await expect(consoleOf(app.page).timeline).toContainText('word199');
  await expect
    .poll(async () => (await shown()).filter((event) => event.body.type === 'call_output').length)
    .toBeGreaterThan(5);
  await expect.poll(async () => (await pidsWithArgument(mark)).length).toBeGreaterThanOrEqual(2);

  const acknowledged = await shown();
  await app.kill9();

  const back = await launch({ home: app.home, env: serverEnvironment(server) });
  const kept = new Map(back.journal.events().map((event) => [event.seq, event]));
  for (const event of acknowledged) expect(kept.get(event.seq)).toEqual(event);
  expect(acknowledged.length).toBeGreaterThan(5);
  await expect.poll(() => pidsWithArgument(mark)).toEqual([]);

  const ui = consoleOf(back.page);
  await expect(back.page.getByRole('alert').filter({ hasText: /2 runs at work/ })).toBeVisible();
  await ui.open('Stream on');
  await expect(ui.status).toHaveText('Interrupted');
  await expect(ui.timeline).toContainText('word199');
  await ui.open('Run on');
  await expect(ui.status).toHaveText('Interrupted');
  await expect(ui.timeline).toContainText(/may have run/);
});

test('a command that was cut off by kill -9 is not run again without the operator', async ({ launch, makeFolder }) => {
  const mark = `sayso-e2e-${randomUUID()}`;
  const app = await launch({ agents: scripted('runner', [runs(...endlessCommand(mark)), says('Over.')], auto) });
  const workspace = await makeFolder();
  const sessionId = await app.start({ agent: 'runner', prompt: 'Run on', workspace });
  await expect.poll(async () => (await pidsWithArgument(mark)).length).toBeGreaterThanOrEqual(2);
  await app.kill9();
  // What held the places of protected paths is left, and taken away by the next start.
  expect(await readdir(workspace)).toContain('.env');

  const back = await launch({ home: app.home });
  await expect.poll(() => readdir(workspace)).toEqual([]);
  const ui = consoleOf(back.page);
  await ui.open('Run on');
  await ui.resume.click();
  const { card } = await openCard(ui.cards());
  await expect(card).toContainText('may already have run');
  expect(await pidsWithArgument(mark)).toEqual([]);
  await card.getByRole('radio', { name: /skip/i }).click();
  await card.getByRole('button', { name: 'Answer', exact: true }).click();
  await back.reached(sessionId, 'completed');
  expect(await pidsWithArgument(mark)).toEqual([]);
  expect(back.journal.bodies(sessionId, 'call_started')).toHaveLength(1);
});

test('Stop kills the command with its whole tree', async ({ launch, makeFolder }) => {
  const mark = `sayso-e2e-${randomUUID()}`;
  const app = await launch({ agents: scripted('runner', [runs(...endlessCommand(mark)), says('Over.')], auto) });
  const ui = consoleOf(app.page);
  await app.start({ agent: 'runner', prompt: 'Run until stopped', workspace: await makeFolder() });
  await ui.open('Run until stopped');
  await expect(ui.timeline).toContainText('tick');
  await expect.poll(async () => (await pidsWithArgument(mark)).length).toBeGreaterThanOrEqual(2);

  await ui.stop.click();
  await expect(ui.status).toHaveText('Stopped', { timeout: 10_000 });
  expect(await pidsWithArgument(mark)).toEqual([]);
});

test('quitting ends running commands with their whole tree', async ({ launch, makeFolder }) => {
  const mark = `sayso-e2e-${randomUUID()}`;
  const app = await launch({ agents: scripted('runner', [runs(...endlessCommand(mark)), says('Over.')], auto) });
  const workspace = await makeFolder();
  const sessionId = await app.start({ agent: 'runner', prompt: 'Run until quit', workspace });
  await expect.poll(async () => (await pidsWithArgument(mark)).length).toBeGreaterThanOrEqual(2);
  expect(await readdir(workspace)).toContain('.env');
  await app.quit();
  expect(await pidsWithArgument(mark)).toEqual([]);
  expect(await readdir(workspace)).toEqual([]);
  expect(app.journal.session(sessionId)?.state).toBe('interrupted');
});

test('a second start on the same data folder brings the first one forward, and ends', async ({
  launch,
  makeFolder,
}) => {
  const app = await launch({ agents: scripted('worker', [runs('touch', 'made'), says('Over.')]) });
  const sessionId = await app.start({ agent: 'worker', prompt: 'Wait here', workspace: await makeFolder() });
  await app.reached(sessionId, 'waiting');
  await app.closeWindow();

  const opened = app.electron.waitForEvent('window');
  const second = await app.startAgain();
  expect(second.exitCode).toBe(0);
  expect(second.output).toMatch(/already running/);
  await app.adopt(await opened);
  await expect(consoleOf(app.page).cards('Wait here')).toBeVisible();
  expect(await app.windowCount()).toBe(1);
  expect(app.journal.requests(sessionId)).toMatchObject([{ state: 'pending' }]);
  expect(app.journal.sessions()).toHaveLength(1);
});

test('without a run at work, closing the window quits', async ({ launch }) => {
  const app = await launch();
  const gone = new Promise((resolve) => app.process.once('exit', resolve));
  await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close()).catch(() => undefined);
  expect(await gone).toBe(0);
});
