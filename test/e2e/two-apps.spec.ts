import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runs, says, scripted } from '../support/agents';
import { expect, test } from '../support/app';
import { call } from '../support/bridge';
import { endlessCommand } from '../support/commands';
import { consoleOf, openCard } from '../support/console';
import { pidsWithArgument } from '../support/processes';

const auto = { guardrails: { approvalMode: 'auto' } } as const;

/** What keeps a second app from one folder. Whoever finds it in the way deletes it, or has the folder on two machines. */
async function removeLock(home: string): Promise<void> {
  const names = (await readdir(home)).filter((name) => name.startsWith('Singleton'));
  expect(names).toContain('SingletonLock');
  for (const name of names) await rm(join(home, name));
}

test('of two apps on one folder the second leaves alone what the first runs, until the first is gone', async ({
  launch,
  makeFolder,
}) => {
  const mark = `sayso-e2e-${randomUUID()}`;
  const agents = {
    ...scripted('runner', [runs(...endlessCommand(mark)), says('Over.')], auto),
    ...scripted('asker', [runs('touch', 'made'), says('Over.')]),
  };
  const first = await launch({ agents });
  const running = await first.start({ agent: 'runner', prompt: 'Run on', workspace: await makeFolder() });
  const waiting = await first.start({ agent: 'asker', prompt: 'Wait here', workspace: await makeFolder() });
  await first.reached(waiting, 'waiting');
  await expect.poll(async () => (await pidsWithArgument(mark)).length).toBeGreaterThanOrEqual(2);
  const before = await pidsWithArgument(mark);

  await removeLock(first.home);
  const second = await launch({ home: first.home, appFolder: 'test/support/second-app' });
  const ui = consoleOf(second.page);
  const pid = first.process.pid;
  await expect(second.page.getByRole('alert')).toContainText(
    `Another Sayso (1 process: ${pid}) runs 2 sessions of this folder.`,
  );

  // Nothing of it was ended, in the system or on record.
  expect(await pidsWithArgument(mark)).toEqual(expect.arrayContaining(before));
  expect(first.journal.session(running)?.state).toBe('acting');
  expect(first.journal.requests(waiting)).toMatchObject([{ state: 'pending' }]);
  expect(first.journal.events().filter(({ body }) => body.type === 'run_ended')).toEqual([]);

  // Whoever wants to go on with it is told who has it.
  const refused = { ok: false, error: { code: 'conflict', message: expect.stringContaining(`process ${pid}`) } };
  for (const sessionId of [running, waiting]) {
    expect(await call(second.page, 'resumeSession', { sessionId, place: null })).toMatchObject(refused);
    expect(await call(second.page, 'stopRun', { sessionId })).toMatchObject(refused);
  }
  await ui.open('Run on');
  await ui.message.fill('And now?');
  await ui.send.click();
  await expect(second.page.getByText(`Another Sayso runs this session: process ${pid}`)).toBeVisible();
  expect(first.journal.bodies(running, 'run_started')).toHaveLength(1);

  // The first still has it in hand.
  const card = await openCard(consoleOf(first.page).cards('Wait here'));
  await card.approve.click();
  await first.reached(waiting, 'completed');

  await first.kill9();
  await expect(ui.status).toHaveText('Interrupted');
  await expect.poll(() => pidsWithArgument(mark)).toEqual([]);
  await ui.resume.click();
  const { card: question } = await openCard(ui.cards('Run on'));
  await expect(question).toContainText('may already have run');
  await question.getByRole('radio', { name: /skip/i }).click();
  await question.getByRole('button', { name: 'Answer', exact: true }).click();
  await second.reached(running, 'completed');
  expect(second.journal.bodies(running, 'call_started')).toHaveLength(1);
});
