import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from '@playwright/test';
import type { SessionId } from '../../src/shared/ids';
import { calls, claude, runs, says, scripted } from '../support/agents';
import { expect, PROJECT, type SaysoApp, serverEnvironment, test } from '../support/app';
import { ask } from '../support/bridge';
import { confinable } from '../support/confinable';
import { consoleOf, openCard } from '../support/console';
import { gate, say } from '../support/messages-server';

const SCREENS = join(PROJECT, 'test-results', 'screens');
const SIZES = { large: [1440, 900], small: [1024, 700] } as const;
const THEMES = ['dark', 'light'] as const;

/** Draws the window as it is in both sizes and both themes. */
async function picture(app: SaysoApp, name: string): Promise<void> {
  await mkdir(SCREENS, { recursive: true });
  const { settings } = await ask(app.page, 'getSettings', {});
  for (const theme of THEMES) {
    await ask(app.page, 'saveSettings', { settings: { ...settings, theme } });
    await expect(app.page.locator('html')).toHaveAttribute('data-theme', theme);
    for (const [size, [width, height]] of Object.entries(SIZES)) {
      await resize(app, width, height);
      await settled(app.page);
      await app.page.screenshot({ path: join(SCREENS, `${name}-${theme}-${size}.png`) });
      await expectNoSidewaysScroll(app.page, `${name} ${size}`);
    }
  }
}

async function resize(app: SaysoApp, width: number, height: number): Promise<void> {
  await app.electron.evaluate(
    ({ BrowserWindow }, [w, h]) => {
      BrowserWindow.getAllWindows()[0]?.setContentSize(w, h);
    },
    [width, height] as const,
  );
  // A window as large as the whole screen is made a pixel smaller by Chromium.
  const missing = () =>
    app.page.evaluate(([w, h]) => [w - window.innerWidth, h - window.innerHeight], [width, height] as const);
  await expect.poll(async () => Math.max(...(await missing()).map(Math.abs))).toBeLessThanOrEqual(1);
}

/** Fonts are there and two frames have been drawn. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  });
}

async function expectNoSidewaysScroll(page: Page, where: string): Promise<void> {
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(wider, `${where} is wider than the window by`).toBeLessThanOrEqual(0);
}

test('the first start', async ({ launch }) => {
  const app = await launch();
  await expect(consoleOf(app.page).demo).toBeVisible();
  await picture(app, 'empty');
});

test('the demo waits for its edit', async ({ launch, makeFolder }) => {
  const app = await launch({ env: { TMPDIR: await makeFolder() } });
  const ui = consoleOf(app.page);
  await ui.demo.click();
  await openCard(ui.cards());
  await picture(app, 'demo');
});

/** Several sessions in every state, with a stream under way and requests of all kinds open. */
async function busyConsole(app: SaysoApp, workspace: string, hold: ReturnType<typeof gate>): Promise<void> {
  const start = (agent: string, prompt: string) => app.start({ agent, prompt, workspace });
  await app.reached(await start('done', 'Sort the photos of the harvest'), 'completed');
  await app.reached(await start('broken', 'Check the links of the handbook'), 'failed');
  const stopped = await start('endless', 'Watch the queue');
  await app.reached(stopped, 'acting');
  await ask(app.page, 'stopRun', { sessionId: stopped });
  await app.reached(stopped, 'stopped');
  await app.reached(await start('pusher', 'Publish the release notes'), 'waiting');
  await app.reached(await start('writer', 'Tidy the changelog'), 'waiting');
  await app.reached(await start('chooser', 'Rotate the keys'), 'waiting');
  await start('thinker', 'Explain how the cache works');
  await hold.reached;
}

const BUSY = {
  ...scripted('done', [calls('list_dir', { path: '.' }), says('All photos are sorted by year.')]),
  ...scripted('broken', [{ fail: 'the model could not be reached' }]),
  ...scripted('endless', [runs('sleep', '1000')], { guardrails: { approvalMode: 'auto' } }),
  ...scripted(
    'pusher',
    [
      { say: 'I read the notes first, then I would publish them.', ...calls('read_file', { path: 'CHANGELOG.md' }) },
      runs('git', 'push', '--force-with-lease', 'origin', 'HEAD:main'),
    ],
    { guardrails: { approvalTimeout: '90s' } },
  ),
  ...scripted('writer', [
    { say: 'The changelog misses three changes since 1.2.0. I would add them.', ...calls('list_dir', { path: '.' }) },
    calls('edit_file', {
      path: 'CHANGELOG.md',
      oldString: '## 1.2.0',
      newString: '## 1.3.0\n\n- Faster search.\n- A bell.\n\n## 1.2.0',
    }),
  ]),
  ...scripted(
    'chooser',
    [
      calls('ask_human_select', {
        question: 'Which key shall I rotate first?',
        options: ['The deploy key', 'The signing key', 'Both at once'],
      }),
    ],
    {
      harness: { human_in_the_loop: { enabled: true } },
    },
  ),
  ...claude('thinker'),
};

test('several runs at once', async ({ launch, makeFolder, server }) => {
  const app = await launch({ agents: BUSY, env: serverEnvironment(server) });
  const hold = gate();
  const answer = [
    'The cache has **two layers**.\n\n',
    '1. A map in memory.\n2. A file beside the store.\n\n',
    '```ts\nconst found = memory.get(key) ?? (await file.get(key));\n```\n\n',
    'A miss in both ',
  ];
  server.enqueue(say(...answer, hold, 'asks the server.'));
  await busyConsole(app, await makeFolder({ 'CHANGELOG.md': '# Changelog\n\n## 1.2.0\n\n- First.\n' }), hold);
  const ui = consoleOf(app.page);
  await ui.open('Explain how the cache works');
  await picture(app, 'busy-stream');
  await ui.open('Publish the release notes');
  await picture(app, 'busy-waiting');
});

test('a command that may run again with more', async ({ launch, makeFolder }) => {
  // biome-ignore lint/suspicious/noSkippedTests: where nothing is confined, nothing is refused
  test.skip(!confinable());
  const [workspace, outside] = [await makeFolder(), await makeFolder({ 'notes.txt': 'x' })];
  const deep = join(outside, 'a-rather-long-name-in-which-there-is-more-'.repeat(4), 'and <b>markup</b>, Approve this');
  await mkdir(deep, { recursive: true });
  const command = `cat ${outside}/notes.txt; echo "touch: cannot touch '${deep}/${'x'.repeat(150)}': Read-only file system"; echo 'Could not resolve host'; exit 3`;
  const app = await launch({
    agents: scripted('collector', [calls('shell', { command }), says('Over.')], {
      guardrails: { approvalMode: 'auto', approvalTimeout: '10m' },
    }),
  });
  const ui = consoleOf(app.page);
  const sessionId = await app.start({ agent: 'collector', prompt: 'Collect the notes', workspace });
  await openCard(ui.cards('Collect the notes'));
  await ui.open('Collect the notes');
  await picture(app, 'more-asked');
  await approveAll(app, sessionId);
  await ui.timeline
    .getByRole('article', { name: 'Call: shell' })
    .getByRole('button', { name: 'shell' })
    .first()
    .click();
  await picture(app, 'more-ran');
});

/** Approves what a session asks, over the bridge, as the window does. */
async function approveAll(app: SaysoApp, sessionId: SessionId): Promise<void> {
  const { requests } = await ask(app.page, 'listRequests', {});
  for (const { id, digest } of requests) {
    await ask(app.page, 'answerRequest', { requestId: id, digest, answer: { type: 'approve', remember: null } });
  }
  await app.reached(sessionId, 'completed');
}

test('a hostile command', async ({ launch, makeFolder }) => {
  const hostile = [
    'gi\u0442',
    'push\u200b',
    '--message=\u202egnp.exe\u202c',
    `--data=${'A'.repeat(300)}`,
    'ends with space ',
    '\u001b[2Kclean',
    '',
  ];
  const app = await launch({ agents: scripted('stranger', [calls('run_command', { argv: ['node', ...hostile] })]) });
  const ui = consoleOf(app.page);
  await app.start({ agent: 'stranger', prompt: 'Run \u202eelbisivni\u202c things', workspace: await makeFolder() });
  await openCard(ui.cards());
  await picture(app, 'hostile');
});

test('long content', async ({ launch, makeFolder }) => {
  const paragraph = 'A sentence that is long enough to be wrapped several times in the column of the timeline. '.repeat(
    6,
  );
  const print = 'for (let i = 0; i < 400; i += 1) console.log("line", i, "=".repeat(i % 200))';
  const long = `${'A-title-without-a-single-space-'.repeat(8)}and an end`;
  const app = await launch({
    agents: scripted('novelist', [
      { say: paragraph, ...runs('node', '-e', print) },
      {
        say: `| a | b |\n|---|---|\n| 1 | ${'wide '.repeat(40)} |\n\n${paragraph}`,
        ...runs('node', '-e', `${print};\n`.repeat(60)),
      },
    ]),
  });
  const ui = consoleOf(app.page);
  const workspace = await makeFolder();
  const sessionId = await app.start({ agent: 'novelist', prompt: long, workspace });
  const first = await openCard(ui.cards());
  await first.approve.click();
  await expect.poll(() => app.journal.requests(sessionId).length).toBe(2);
  await ui.sessions.getByRole('link').first().click();
  await expect(ui.timeline).toBeVisible();
  await picture(app, 'long');
});

test('settings, agents, dialogs and a store that cannot be opened', async ({ launch, makeFolder }) => {
  const broken = { 'broken.agent.yaml': 'name: broken\nscrpt: ./a.yaml\nguardrails: { approvalMode: yolo }\n' };
  const app = await launch({ agents: { ...BUSY, ...broken } });
  const button = (name: string) => app.page.getByRole('button', { name, exact: true });
  await button('Settings').click();
  await expect(app.page.getByRole('main', { name: 'Settings' })).toBeVisible();
  await picture(app, 'settings');
  await button('Agents').click();
  await expect(app.page.getByRole('main', { name: 'Agents' })).toBeVisible();
  await picture(app, 'agents');
  await button('New run').click();
  await expect(app.page.getByRole('dialog', { name: 'New run' })).toBeVisible();
  await picture(app, 'new-run');
  await app.page.keyboard.press('Escape');
  await app.page.keyboard.press('Control+k');
  await expect(app.page.getByRole('dialog')).toBeVisible();
  await picture(app, 'palette');

  const damaged = await launch({ home: await makeFolder({ 'sayso.sqlite': 'no database '.repeat(500) }) });
  await expect(damaged.page.getByRole('alert').first()).toBeVisible();
  await mkdir(SCREENS, { recursive: true });
  await damaged.page.screenshot({ path: join(SCREENS, 'damaged.png') });
});

test('the picture of the README', async ({ launch }) => {
  const file =
    process.env.SAYSO_UPDATE_SCREENSHOT === '1' ? join(PROJECT, 'docs', 'screenshot.png') : join(SCREENS, 'readme.png');
  const app = await launch();
  const ui = consoleOf(app.page);
  await ui.demo.click();
  const edit = await openCard(ui.cards().filter({ hasText: 'edit_file' }));
  await edit.approve.click();
  await app.page.mouse.move(700, 500);
  await expect(ui.cards()).toHaveCount(1);
  const diff = await openCard(ui.cards().filter({ hasText: 'run_command' }));
  await expect(diff.approve).toBeEnabled();
  const { settings } = await ask(app.page, 'getSettings', {});
  await ask(app.page, 'saveSettings', { settings: { ...settings, theme: 'light' } });
  await expect(app.page.locator('html')).toHaveAttribute('data-theme', 'light');
  await resize(app, ...SIZES.large);
  await app.page.mouse.move(700, 500);
  await settled(app.page);
  await mkdir(dirname(file), { recursive: true });
  await app.page.screenshot({ path: file });
  // This once the demo has worked in the system's own temporary folder, whose path looks as the reader's will.
  for (const { workspace } of app.journal.sessions()) await rm(workspace, { recursive: true, force: true });
});
