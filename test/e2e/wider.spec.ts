import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { calls, says, scripted } from '../support/agents';
import { expect, type SaysoApp, test } from '../support/app';
import { confinable } from '../support/confinable';
import { consoleOf, openCard } from '../support/console';

// biome-ignore lint/suspicious/noSkippedTests: where nothing is confined, nothing is refused
test.skip(!confinable(), 'only a sandbox that confines refuses anything');

/** An agent that writes beside its workspace, in a folder that its file does not name. */
const writer = (outside: string) =>
  scripted('writer', [calls('shell', { command: `echo ran >> trace; echo kept > '${outside}/file'` }), says('Over.')]);

const textOf = (path: string) => readFile(path, 'utf8').catch(() => '');

/** Starts it, and approves the command itself. */
async function refusedOnce(app: SaysoApp, workspace: string) {
  const ui = consoleOf(app.page);
  const sessionId = await app.start({ agent: 'writer', prompt: 'Keep it beside', workspace });
  const first = await openCard(ui.cards('Keep it beside'));
  await first.approve.click();
  const card = ui.inbox.getByRole('article', { name: 'Approval: shell, again and with more' });
  await expect(card).toBeVisible();
  return { ui, sessionId, again: await openCard(card) };
}

test('a command that was refused a folder runs again with it, once, when the operator says so', async ({
  launch,
  makeFolder,
}) => {
  const [workspace, outside] = [await makeFolder(), await makeFolder()];
  const app = await launch({ agents: writer(outside) });
  const { ui, sessionId, again } = await refusedOnce(app, workspace);

  const more = again.card.getByRole('region', { name: 'Also allowed, this once' });
  await expect(more.getByRole('listitem')).toHaveText([
    `write in ${outside} and all in itthe nearest folder there is to ${outside}/file`,
  ]);
  await expect(more).toContainText('already run once and ended with exit code 2');
  await expect(more).toContainText('runs it again');
  await expect(again.remember).toHaveCount(0);
  await expect(again.command).toHaveCount(3);
  expect(await textOf(join(workspace, 'trace'))).toBe('ran\n');
  expect(await textOf(join(outside, 'file'))).toBe('');

  await again.approve.click();
  await app.reached(sessionId, 'completed');
  expect(await textOf(join(workspace, 'trace'))).toBe('ran\nran\n');
  expect(await textOf(join(outside, 'file'))).toBe('kept\n');

  await ui.open('Keep it beside');
  const call = ui.timeline.getByRole('article', { name: 'Call: shell' });
  await expect(call).toContainText('allowed more, once');
  await call.getByRole('button', { name: 'shell' }).first().click();
  await expect(call.getByRole('region', { name: 'Run 1' })).toContainText('exit 2');
  await expect(call.getByRole('region', { name: 'Run 1' })).toContainText('approved by you');
  await expect(call.getByRole('region', { name: 'Run 2' })).toContainText(
    `also allowed, this once:write in ${outside}`,
  );
});

test('declined, with the keyboard, it stays with its first result', async ({ launch, makeFolder }) => {
  const [workspace, outside] = [await makeFolder(), await makeFolder()];
  const app = await launch({ agents: writer(outside) });
  const { ui, sessionId, again } = await refusedOnce(app, workspace);
  await again.reason.fill('not there');
  await expect(again.decline).toBeEnabled();
  await again.card.focus();
  await app.page.keyboard.press('d');
  await app.reached(sessionId, 'completed');
  expect(await textOf(join(workspace, 'trace'))).toBe('ran\n');
  expect(await textOf(join(outside, 'file'))).toBe('');

  await ui.open('Keep it beside');
  const call = ui.timeline.getByRole('article', { name: 'Call: shell' });
  await expect(call).toContainText('not again: declined by you · “not there”');
  await expect(call).toContainText('exit 2');
});

test('left open by the end of the app, it is asked again on resume, and has run once until then', async ({
  launch,
  makeFolder,
}) => {
  const [workspace, outside] = [await makeFolder(), await makeFolder()];
  const app = await launch({ agents: writer(outside) });
  const { sessionId } = await refusedOnce(app, workspace);
  await app.kill9();

  const next = await launch({ home: app.home });
  const ui = consoleOf(next.page);
  await ui.open('Keep it beside');
  await ui.timeline
    .getByRole('article', { name: 'Call: shell' })
    .getByRole('button', { name: 'shell' })
    .first()
    .click();
  await expect(ui.timeline.getByRole('region', { name: 'Run 1' })).toContainText('interrupted: no decision was made');
  await ui.resume.click();
  const again = await openCard(ui.inbox.getByRole('article', { name: 'Approval: shell, again and with more' }));
  expect(await textOf(join(workspace, 'trace'))).toBe('ran\n');
  await again.approve.click();
  await next.reached(sessionId, 'completed');
  expect(await textOf(join(workspace, 'trace'))).toBe('ran\nran\n');
  expect(await textOf(join(outside, 'file'))).toBe('kept\n');
});
