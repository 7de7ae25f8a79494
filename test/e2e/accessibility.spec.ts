import { existsSync } from 'node:fs';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { calls, runs, says, scripted } from '../support/agents';
import { expect, type SaysoApp, test } from '../support/app';
import { ask } from '../support/bridge';
import { consoleOf, openCard } from '../support/console';

const ASKING = scripted('worker', [runs('touch', 'made'), says('Over.')]);

/** Serious and critical violations of WCAG as axe finds them, in both themes, as lines that can be read. */
async function violations(app: SaysoApp): Promise<string[]> {
  const found: string[] = [];
  const { settings } = await ask(app.page, 'getSettings', {});
  for (const theme of ['dark', 'light'] as const) {
    await ask(app.page, 'saveSettings', { settings: { ...settings, theme } });
    await expect(app.page.locator('html')).toHaveAttribute('data-theme', theme);
    // Electron opens no second page for axe to finish in: that is what its legacy mode is for.
    const result = await new AxeBuilder({ page: app.page }).setLegacyMode(true).analyze();
    expect(result.passes.length, 'rules that axe found something for').toBeGreaterThan(10);
    for (const { id, impact, nodes } of result.violations) {
      if (impact !== 'serious' && impact !== 'critical') continue;
      for (const node of nodes)
        found.push(`${theme} ${impact} ${id}: ${node.target.join(' ')}: ${node.failureSummary ?? ''}`);
    }
  }
  return found;
}

test('the first start, the agents, the settings and every dialog have no serious violation', async ({ launch }) => {
  const broken = { 'broken.agent.yaml': 'name: broken\nscrpt: ./a.yaml\n' };
  const app = await launch({ agents: { ...ASKING, ...broken } });
  const ui = consoleOf(app.page);
  await expect(ui.demo).toBeVisible();
  expect(await violations(app)).toEqual([]);
  for (const page of ['Agents', 'Settings']) {
    await app.page.getByRole('button', { name: page, exact: true }).click();
    await expect(app.page.getByRole('main', { name: page })).toBeVisible();
    expect(await violations(app), page).toEqual([]);
  }
  for (const open of [
    () => ui.newRun.click(),
    () => app.page.keyboard.press('Control+k'),
    () => app.page.keyboard.press('?'),
  ]) {
    await open();
    await expect(app.page.getByRole('dialog')).toBeVisible();
    expect(await violations(app)).toEqual([]);
    await app.page.keyboard.press('Escape');
    await expect(app.page.getByRole('dialog')).toHaveCount(0);
  }
});

test('a session with requests, a question, a result and an end has no serious violation', async ({
  launch,
  makeFolder,
}) => {
  const agents = {
    ...ASKING,
    ...scripted('asker', [calls('ask_human_select', { question: 'Which?', options: ['One', 'Two'] })], {
      harness: { human_in_the_loop: { enabled: true } },
    }),
    ...scripted('hostile', [runs('node', 'pu\u200bsh', '\u202egnp.exe', 'x'.repeat(300))]),
    ...scripted(
      'looker',
      [{ say: '**Bold**, `code` and a list:\n\n- one\n- two', ...runs('node', '-e', 'console.log(1)') }, says('Over.')],
      {
        guardrails: { approvalMode: 'auto' },
      },
    ),
  };
  const app = await launch({ agents });
  const ui = consoleOf(app.page);
  const workspace = await makeFolder();
  for (const agent of ['asker', 'hostile', 'worker']) {
    await app.reached(await app.start({ agent, prompt: `A run of ${agent}`, workspace }), 'waiting');
  }
  await app.reached(await app.start({ agent: 'looker', prompt: 'A run of looker', workspace }), 'completed');
  for (const agent of ['looker', 'asker', 'hostile', 'worker']) {
    await ui.open(`A run of ${agent}`);
    if (agent !== 'looker') await openCard(ui.cards(`A run of ${agent}`));
    expect(await violations(app), agent).toEqual([]);
  }
  const worker = await openCard(ui.cards('A run of worker'));
  await worker.remember.selectOption({ label: 'This command in this session' });
  await worker.approve.click();
  await expect(ui.grants).toBeVisible();
  expect(await violations(app), 'with a grant').toEqual([]);
});

test('Enter on a focused card declines, and A approves', async ({ launch, makeFolder }) => {
  const app = await launch({ agents: ASKING });
  const ui = consoleOf(app.page);
  for (const [key, outcome] of [
    ['Enter', 'declined'],
    ['d', 'declined'],
    ['a', 'approved'],
  ] as const) {
    const workspace = await makeFolder();
    const sessionId = await app.start({ agent: 'worker', prompt: `Press ${key}`, workspace });
    const card = await openCard(ui.cards(`Press ${key}`));
    await expect(card.approve).toBeEnabled();
    await card.card.focus();
    await app.page.keyboard.press(key);
    await app.reached(sessionId, 'completed');
    expect(app.journal.requests(sessionId)).toMatchObject([{ state: outcome, settlement: { by: 'operator' } }]);
    expect(existsSync(join(workspace, 'made'))).toBe(outcome === 'approved');
  }
});

test('a key that is held down decides nothing', async ({ launch, makeFolder }) => {
  const app = await launch({ agents: ASKING });
  const ui = consoleOf(app.page);
  const sessionId = await app.start({ agent: 'worker', prompt: 'Hold it', workspace: await makeFolder() });
  const card = await openCard(ui.cards());
  await expect(card.approve).toBeEnabled();
  const elsewhere = ui.sessions.getByRole('searchbox', { name: 'Search sessions' });
  const pressed = [
    ...(['a', 'd', 'Enter'] as const).map((key) => ({ key, target: card.card })),
    ...(['Enter', 'Space'] as const).flatMap((key) => [card.approve, card.decline].map((target) => ({ key, target }))),
  ];
  for (const { key, target } of pressed) {
    await elsewhere.focus();
    await app.page.keyboard.down(key);
    await target.focus();
    // What a keyboard sends while the key stays down.
    for (let repeats = 0; repeats < 5; repeats += 1) await app.page.keyboard.down(key);
    await app.page.keyboard.up(key);
  }
  await elsewhere.fill('');
  // Whatever a key had set off would have been settled before this answer comes.
  expect((await ask(app.page, 'listRequests', {})).requests).toHaveLength(1);
  expect(app.journal.requests(sessionId)).toMatchObject([{ state: 'pending' }]);
});

test('the buttons of a new request do nothing in its first half second', async ({ launch, makeFolder }) => {
  const app = await launch({ agents: ASKING });
  const { page } = app;
  // Watches for the buttons from inside the page, and presses everything the moment it is there.
  await page.evaluate(() => {
    const seen: Record<string, number> = {};
    Object.assign(globalThis, { seen });
    const look = () => {
      for (const button of document.querySelectorAll<HTMLButtonElement>('article[aria-label^="Approval"] button')) {
        const name = (button.textContent ?? '').trim().split(' ')[0] ?? '';
        if (name !== 'Approve' && name !== 'Decline') continue;
        if (seen[name] === undefined) {
          seen[name] = performance.now();
          button.click();
          const card = button.closest('article');
          for (const key of ['a', 'd', 'Enter'])
            card?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        }
        if (!button.disabled) seen[`${name} enabled`] ??= performance.now();
      }
    };
    const options = { subtree: true, childList: true, attributes: true };
    new MutationObserver(look).observe(document.body, options);
  });
  const workspace = await makeFolder();
  const sessionId = await app.start({ agent: 'worker', prompt: 'Not so fast', workspace });
  const card = await openCard(consoleOf(page).cards());
  await expect(card.approve).toBeEnabled();
  await expect(card.decline).toBeEnabled();
  const seen = await page.evaluate(() => (globalThis as unknown as { seen: Record<string, number> }).seen);
  for (const name of ['Approve', 'Decline']) {
    expect((seen[`${name} enabled`] ?? 0) - (seen[name] ?? 0), name).toBeGreaterThanOrEqual(495);
  }
  expect(app.journal.requests(sessionId)).toMatchObject([{ state: 'pending' }]);
});

const LONG = Array.from({ length: 120 }, (_, index) => `argument-${index}`);

test('Approve waits until the whole of a long command has been on screen', async ({ launch, makeFolder }) => {
  const app = await launch({ agents: scripted('lengthy', [runs('node', ...LONG), says('Over.')]) });
  const ui = consoleOf(app.page);
  const sessionId = await app.start({ agent: 'lengthy', prompt: 'Read it all', workspace: await makeFolder() });
  const card = ui.cards();
  const approve = card.getByRole('button', { name: 'Approve', exact: true });
  // Armed, and still not to be approved.
  await expect(card.getByRole('button', { name: 'Decline', exact: true })).toBeEnabled();
  await expect(approve).toBeDisabled();
  await card.focus();
  await app.page.keyboard.press('a');

  const rest = card.getByRole('button', { name: 'Show the rest' });
  await expect(async () => {
    if (await rest.isVisible()) await rest.click();
    await expect(approve).toBeEnabled({ timeout: 200 });
  }).toPass();
  expect(app.journal.requests(sessionId)).toMatchObject([{ state: 'pending' }]);
  await approve.click();
  await app.reached(sessionId, 'completed');
});

test('a jump to the end of a long command is not reading it', async ({ launch, makeFolder }) => {
  const app = await launch({ agents: scripted('lengthy', [runs('node', ...LONG), says('Over.')]) });
  const ui = consoleOf(app.page);
  await app.start({ agent: 'lengthy', prompt: 'Skip it all', workspace: await makeFolder() });
  const card = ui.cards();
  await expect(card.getByRole('button', { name: 'Decline', exact: true })).toBeEnabled();
  const rows = card.getByRole('list', { name: 'Command', exact: true });
  await rows.focus();
  await app.page.keyboard.press('End');
  await expect(rows.getByRole('listitem').last()).toBeInViewport();
  await expect(rows.getByRole('listitem').nth(60)).not.toBeInViewport();
  await expect(card.getByRole('button', { name: 'Approve', exact: true })).toBeDisabled();
});

test('a new request neither takes the focus nor moves what is read', async ({ launch, makeFolder }) => {
  const app = await launch({ agents: ASKING });
  const ui = consoleOf(app.page);
  const workspace = await makeFolder();
  await app.reached(await app.start({ agent: 'worker', prompt: 'The first', workspace }), 'waiting');
  const first = await openCard(ui.cards('The first'));
  await expect(first.approve).toBeEnabled();
  await ui.open('The first');
  await ui.message.fill('I am typing');
  await app.page.mouse.move(0, 0);
  await first.approve.hover();
  const before = await first.approve.boundingBox();
  for (const prompt of ['The second', 'The third']) {
    await app.reached(await app.start({ agent: 'worker', prompt, workspace }), 'waiting');
    await expect(ui.cards(prompt)).toBeVisible();
  }
  expect(await first.approve.boundingBox()).toEqual(before);
  await expect(ui.message).toBeFocused();
  await expect(ui.message).toHaveValue('I am typing');
});
