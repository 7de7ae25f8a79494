import { existsSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionId } from '../../src/shared/ids';
import { calls, runs, says, scripted } from '../support/agents';
import { expect, type SaysoApp, test } from '../support/app';
import { consoleOf, openCard } from '../support/console';

const auto = { guardrails: { approvalMode: 'auto' } } as const;

async function resultOf(app: SaysoApp, sessionId: SessionId): Promise<string> {
  await app.reached(sessionId, 'completed');
  return app.journal.bodies(sessionId, 'call_result')[0]?.content ?? '';
}

test('a command gets no credential and nothing else of the app’s own environment', async ({ launch, makeFolder }) => {
  const names = 'console.log(Object.keys(process.env).sort().join(" "))';
  const agents = scripted('printer', [runs('node', '-e', names), says('Over.')], {
    ...auto,
    environment: { pass: ['PASSED'], set: { GIVEN: '1' } },
  });
  const env = {
    ANTHROPIC_API_KEY: 'sk-secret',
    ANTHROPIC_AUTH_TOKEN: 'secret',
    PASSED: 'p',
    NOT_PASSED: 'n',
    NODE_OPTIONS: '--no-warnings',
  };
  const app = await launch({ agents, env });
  const sessionId = await app.start({ agent: 'printer', prompt: 'Print it', workspace: await makeFolder() });
  const output: string = JSON.parse(await resultOf(app, sessionId)).output;
  const got = output.trim().split(' ');
  expect(got).toEqual(expect.arrayContaining(['PASSED', 'GIVEN', 'LLMFORMAT', 'SAYSO', 'PATH', 'HOME']));
  expect(got.filter((name) => /ANTHROPIC|NOT_PASSED|NODE_OPTIONS|SAYSO_HOME|SAYSO_AGENTS|ELECTRON/.test(name))).toEqual(
    [],
  );
});

test('a command has no stdin, and much output is cut in its middle', async ({ launch, makeFolder }) => {
  const code = `
    process.stdin.on('data', () => {}).on('end', () => {
      console.log('BEGIN'); for (let i = 0; i < 20000; i += 1) console.log('0123456789'); console.log('END');
    });`;
  const app = await launch({ agents: scripted('printer', [runs('node', '-e', code), says('Over.')], auto) });
  const sessionId = await app.start({ agent: 'printer', prompt: 'Print much', workspace: await makeFolder() });
  const { output, truncated, exit_code } = JSON.parse(await resultOf(app, sessionId));
  expect({ truncated, exit_code }).toEqual({ truncated: true, exit_code: 0 });
  expect(output).toMatch(/^BEGIN\n.*bytes.*\nEND\n$/s);
  expect(output.length).toBeLessThan(66_000);
});

test('output appears while the command runs', async ({ launch, makeFolder }) => {
  const workspace = await makeFolder();
  const code = `
    console.log('first line');
    setInterval(() => { if (require('fs').existsSync('go')) { console.log('last line'); process.exit(3); } }, 20);`;
  const app = await launch({ agents: scripted('printer', [runs('node', '-e', code), says('Over.')], auto) });
  const ui = consoleOf(app.page);
  const sessionId = await app.start({ agent: 'printer', prompt: 'Print slowly', workspace });
  await ui.open('Print slowly');
  const call = ui.timeline.getByRole('article', { name: 'Call: run_command' });
  await expect(call).toContainText('first line');
  await expect(ui.status).toHaveText('Acting');
  await writeFile(join(workspace, 'go'), '');
  expect(JSON.parse(await resultOf(app, sessionId))).toMatchObject({ exit_code: 3, output: 'first line\nlast line\n' });
  await expect(call).toContainText('exit 3');
});

test('a script that changed after it was shown is asked about again, and only what was shown runs', async ({
  launch,
  makeFolder,
}) => {
  const workspace = await makeFolder({ 'job.js': 'require("fs").writeFileSync("first", "")' });
  const app = await launch({ agents: scripted('worker', [runs('node', 'job.js'), says('Over.')]) });
  const ui = consoleOf(app.page);
  const sessionId = await app.start({ agent: 'worker', prompt: 'Run the script', workspace });
  const shown = await openCard(ui.cards());
  await writeFile(join(workspace, 'job.js'), 'require("fs").writeFileSync("second", "")');
  await shown.approve.click();

  await expect.poll(() => app.journal.requests(sessionId).length).toBe(2);
  const again = await openCard(ui.cards().last());
  await expect(again.card).toContainText(/changed/);
  expect(existsSync(join(workspace, 'first')) || existsSync(join(workspace, 'second'))).toBe(false);
  expect(app.journal.bodies(sessionId, 'call_started')).toEqual([]);
  await again.decline.click();
  await app.reached(sessionId, 'completed');
  expect(existsSync(join(workspace, 'second'))).toBe(false);
});

test('readonly refuses what can change something without asking, and auto runs it without asking', async ({
  launch,
  makeFolder,
}) => {
  const app = await launch({ agents: scripted('worker', [runs('touch', 'made'), says('Over.')]) });
  const ui = consoleOf(app.page);
  const [refused, allowed] = [await makeFolder(), await makeFolder()];
  const reading = await app.start({ agent: 'worker', prompt: 'Only read', workspace: refused, mode: 'readonly' });
  const acting = await app.start({ agent: 'worker', prompt: 'Just act', workspace: allowed, mode: 'auto' });
  await app.reached(reading, 'completed');
  await app.reached(acting, 'completed');
  expect(app.journal.requests()).toEqual([]);
  expect(existsSync(join(refused, 'made'))).toBe(false);
  expect(existsSync(join(allowed, 'made'))).toBe(true);
  const [denied] = app.journal.bodies(reading, 'tool_denied');
  expect(denied?.reason).toMatch(/^Denied: run_command can change state and this run is in readonly mode\b/);
  await ui.open('Only read');
  await expect(ui.timeline).toContainText('read-only');
});

test('no path leads a tool out of the workspace, through links neither', async ({ launch, makeFolder }) => {
  const outside = await makeFolder({ 'secret.txt': 'the secret' });
  const workspace = await makeFolder();
  await symlink(outside, join(workspace, 'link'));
  const turns = [
    calls('read_file', { path: 'link/secret.txt' }),
    calls('read_file', { path: join(outside, 'secret.txt') }),
    calls('write_file', { path: 'link/new.txt', content: 'x' }),
    calls('delete', { path: '.', recursive: true }),
    says('Over.'),
  ];
  const app = await launch({ agents: scripted('wanderer', turns, auto) });
  const sessionId = await app.start({ agent: 'wanderer', prompt: 'Wander off', workspace });
  await app.reached(sessionId, 'completed');
  const results = app.journal.bodies(sessionId, 'call_result');
  expect(results).toHaveLength(4);
  for (const result of results)
    expect(result).toMatchObject({ isError: true, content: expect.not.stringContaining('the secret') });
  expect(existsSync(join(outside, 'new.txt'))).toBe(false);
  expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('the secret');
});

test('an agent file is opened from anywhere with the system’s dialog', async ({ launch, makeFolder }) => {
  const folder = await makeFolder(scripted('faraway', [says('Hello from afar.')]));
  const app = await launch();
  await app.electron.evaluate(
    ({ dialog }, path) => {
      dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [path] });
    },
    join(folder, 'faraway.agent.yaml'),
  );
  await consoleOf(app.page).newRun.click();
  const dialog = app.page.getByRole('dialog', { name: 'New run' });
  await dialog.getByRole('button', { name: /Open agent file/ }).click();
  await expect(dialog.getByRole('combobox', { name: 'Agent' })).toHaveValue(join(folder, 'faraway.agent.yaml'));
  await dialog.getByRole('textbox', { name: 'Prompt' }).fill('Say hello');
  await dialog.getByRole('textbox', { name: 'Workspace' }).fill(folder);
  await dialog.getByRole('button', { name: 'Start run' }).click();
  await expect(consoleOf(app.page).timeline).toContainText('Hello from afar.');
});
