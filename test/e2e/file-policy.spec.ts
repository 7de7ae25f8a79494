import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { calls, runs, says, scripted } from '../support/agents';
import { expect, test } from '../support/app';
import { consoleOf, openCard } from '../support/console';
import { canHang, hungMount } from '../support/hung-mount';

const auto = { guardrails: { approvalMode: 'auto' } } as const;

test('a protected path is refused to write_file without asking, and the timeline says why', async ({
  launch,
  makeFolder,
}) => {
  const workspace = await makeFolder({ '.env': 'A=1\n' });
  const turns = [
    calls('write_file', { path: '.env', content: 'A=2\n' }),
    calls('write_file', { path: '.git/hooks/pre-commit', content: 'id\n' }),
    says('Over.'),
  ];
  const app = await launch({ agents: scripted('writer', turns) });
  const ui = consoleOf(app.page);
  const sessionId = await app.start({ agent: 'writer', prompt: 'Change the secrets', workspace });
  await ui.open('Change the secrets');
  await app.reached(sessionId, 'completed');
  expect(app.journal.requests(sessionId)).toEqual([]);
  for (const [index, words] of ['.env is protected', 'because of .git, which is protected'].entries()) {
    const call = ui.timeline.getByRole('article', { name: 'Call: write_file' }).nth(index);
    await call.getByRole('button').first().click();
    await expect(call).toContainText(words);
    await expect(call).toContainText('no key of the agent file opens it');
  }
  expect(await readFile(join(workspace, '.env'), 'utf8')).toBe('A=1\n');
  expect(existsSync(join(workspace, '.git'))).toBe(false);
});

test('a protected path that is missing cannot be made by a command, which is told why, and nothing is left of it', async ({
  launch,
  makeFolder,
}) => {
  const workspace = await makeFolder();
  const turns = [
    runs('cp', '/etc/hostname', '.env'),
    runs('mkdir', '-p', '.git/hooks'),
    runs('sh', '-c', 'echo x > made; mv made .vscode || ln made .mcp.json || rm -f .env || ls -A'),
    says('Over.'),
  ];
  const app = await launch({ agents: scripted('maker', turns, auto) });
  const ui = consoleOf(app.page);
  const sessionId = await app.start({ agent: 'maker', prompt: 'Make the secrets', workspace });
  await ui.open('Make the secrets');
  await app.reached(sessionId, 'completed');
  const results = app.journal.bodies(sessionId, 'call_result');
  for (const [index, name] of ['.env', '.git'].entries()) {
    const words = `${name} is protected and not there: something empty holds its place, and it may not be made.`;
    expect(results[index]?.content).toContain(words);
    const call = ui.timeline.getByRole('article', { name: 'Call: run_command' }).nth(index);
    await call.getByRole('button').first().click();
    await expect(call).toContainText(words);
  }
  expect(results[2]?.content).toContain('made');
  // The run has ended, and with it what held the places.
  await expect.poll(() => readdir(workspace)).toEqual(['made']);
});

test('what the agent file opens beyond the workspace is shown by its absolute path before it is written', async ({
  launch,
  makeFolder,
}) => {
  const [workspace, docs] = [await makeFolder(), await makeFolder({ 'guide.md': 'old words\n' })];
  const path = join(docs, 'guide.md');
  const turns = [
    calls('read_file', { path }),
    calls('edit_file', { path, oldString: 'old', newString: 'new' }),
    says('Over.'),
  ];
  const app = await launch({ agents: scripted('editor', turns, { sandbox: { write: [docs] } }) });
  const ui = consoleOf(app.page);
  const sessionId = await app.start({ agent: 'editor', prompt: 'Edit the guide', workspace });
  const { card, approve } = await openCard(ui.cards());
  await expect(card).toContainText(path);
  await expect(card).toContainText('new words');
  await expect(card).toContainText('May change files outside the workspace');
  await approve.click();
  await app.reached(sessionId, 'completed');
  expect(await readFile(path, 'utf8')).toBe('new words\n');
});

const testWithHang = canHang ? test : test.fixme;

testWithHang(
  'a file system that does not answer costs a run its call, and the app nothing',
  async ({ launch, makeFolder }) => {
    const workspace = await makeFolder({ 'file.txt': 'readable\n' });
    await mkdir(join(workspace, 'mnt'));
    const release = await hungMount(join(workspace, 'mnt'));
    try {
      const hung = Array.from({ length: 5 }, (_, index) => calls('read_file', { path: `mnt/${index}` }));
      const turns = [...hung, calls('read_file', { path: 'file.txt' }), says('Over.')];
      const app = await launch({ agents: scripted('reader', turns, { ...auto, limits: { toolTimeout: '1s' } }) });
      const sessionId = await app.start({ agent: 'reader', prompt: 'Read it all', workspace });
      await app.reached(sessionId, 'completed');
      const results = app.journal.bodies(sessionId, 'call_result').map(({ content }) => content);
      expect(results.slice(0, 5)).toEqual(Array(5).fill(expect.stringContaining('the system did not answer')));
      expect(results[5]).toBe('readable\n');
    } finally {
      release();
    }
  },
);
