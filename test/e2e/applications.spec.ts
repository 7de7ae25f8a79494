import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { calls, claude, says, scripted } from '../support/agents';
import { expect, PROJECT, type SaysoApp, serverEnvironment, test } from '../support/app';
import { ask } from '../support/bridge';
import { consoleOf, openCard } from '../support/console';
import { message, say, text, toolCall, toolSearch } from '../support/messages-server';

const FIXTURES = join(PROJECT, 'test/fixtures');
const DEPOT = join(FIXTURES, 'depot/depot');
/** The stand-in reads the document beside it. */
const sandbox = { read: [FIXTURES], accept: ['process', 'unshare'] } as const;
const depot = {
  computer: false,
  applications: [{ path: DEPOT }],
  sandbox: { ...sandbox, accept: [...sandbox.accept], read: [...sandbox.read] },
};

async function openAgents(app: SaysoApp, name: string) {
  await app.page.getByRole('button', { name: 'Agents', exact: true }).click();
  const agents = app.page.getByRole('main', { name: 'Agents' });
  await agents.getByRole('button', { name, exact: true }).click();
  const table = agents.getByRole('table', { name: 'Tools' });
  /** Name, source, tags and gate of each tool, as far as the table is there. */
  const rows = () =>
    table.locator('tbody tr:not(.trying)').evaluateAll((all) =>
      all.map((row) => {
        const [name, source, tags, gate] = [...row.children];
        return [
          name?.querySelector('span')?.textContent,
          source?.textContent,
          [...(tags?.querySelectorAll('.tag') ?? [])].map((tag) => tag.textContent).join(' '),
          gate?.querySelector('.gate')?.textContent,
        ];
      }),
    );
  return { agents, table, rows };
}

test('the agents page shows the tools that the next run has, with their gates, and refreshes when the file is saved', async ({
  launch,
}) => {
  const app = await launch({
    agents: scripted('sender', [says('Hello.')], {
      ...depot,
      global_flags: ['context'],
      harness: { confirm_tags: ['impact:rw', 'impact:none'] },
      guardrails: { approvalMode: 'auto' },
    }),
  });
  const { agents, rows } = await openAgents(app, 'sender');
  await expect.poll(rows).toEqual([
    ['parcel_ls', 'depot', 'ai:read_only ai:idempotent scope:parcel', 'never asks'],
    ['parcel_send', 'depot', 'ai:additive impact:rw scope:parcel', 'asks because of impact:rw'],
    ['parcel_rm', 'depot', 'ai:destructive ai:confirm scope:parcel', 'asks because of ai:confirm'],
    ['parcel_note', 'depot', 'ai:additive', 'runs freely'],
    ['depot_ls', 'depot', 'ai:read_only ai:no_defer', 'never asks'],
    ['say', 'depot', 'ai:speak ai:read_only ai:destructive', 'runs freely'],
    ['cow_think', 'depot', '', 'runs freely'],
  ]);
  const warnings = agents.getByRole('list', { name: 'Warnings' });
  await expect(warnings).toContainText('the tag "ai:speak" is unknown');
  await expect(warnings).toContainText('contradict each other');
  await expect(warnings).toContainText('no tool of this agent is tagged "impact:none"');
  const flags = agents.getByRole('list', { name: 'Global flags' }).getByRole('listitem');
  await expect(flags.filter({ hasText: '--context' })).toContainText('✓ exposed');
  await expect(flags.filter({ hasText: '--tenant' })).toContainText('✓ exposed, required');
  await expect(flags.filter({ hasText: '--password' })).toContainText('not exposed');

  const file = join(app.agentsFolder, 'sender.agent.yaml');
  const narrowed = { name: 'sender', provider: 'scripted', script: './sender.script.yaml', ...depot };
  await writeFile(file, JSON.stringify({ ...narrowed, include: { tools: ['^parcel_'] }, exclude: { tools: ['rm$'] } }));
  await expect
    .poll(async () => (await rows()).map(([name, , , gate]) => [name, gate]))
    .toEqual([
      ['parcel_ls', 'never asks'],
      ['parcel_send', 'asks in ask mode'],
      ['parcel_note', 'asks in ask mode'],
    ]);
  await writeFile(file, JSON.stringify({ ...narrowed, global_flags: ['debug-dump'] }));
  await expect(warnings.first()).toContainText('"debug-dump" is a hidden flag');
});

test('a tool is tried by a form, which shows the argv and runs nothing', async ({ launch }) => {
  const app = await launch({ agents: scripted('sender', [says('Hello.')], depot) });
  const { agents } = await openAgents(app, 'sender');
  await agents.getByRole('button', { name: 'Try parcel_send' }).click();
  const form = agents.getByRole('form', { name: 'Try parcel_send' });
  await form.getByLabel('label').fill('first\n--second');
  await form.getByLabel('to', { exact: false }).first().fill('north');
  await form.getByRole('button', { name: 'Show what would run' }).click();
  await expect(form.getByRole('status')).toContainText('parcel is required and missing');
  await form.getByLabel(/^parcel/).fill('--force');
  await form.getByLabel(/^tenant/).fill('t');
  await form.getByRole('button', { name: 'Show what would run' }).click();
  await expect(form.getByRole('list', { name: 'What would run' }).getByRole('listitem')).toHaveText([
    DEPOT,
    'parcel',
    'send',
    '--label=first',
    '--label=--second',
    '--tenant=t',
    '--',
    '--force',
    'north',
  ]);
  expect(app.journal.sessions()).toEqual([]);
});

test('a run: what only reads runs, what is tagged asks and names its tag, and argv arrives as shown', async ({
  launch,
  makeFolder,
}) => {
  const agents = scripted(
    'sender',
    [
      calls('depot_ls', { tenant: 't' }),
      calls('parcel_rm', { parcel: '--all', force: true, tenant: 't' }),
      calls('depot_wipe', { depot: 'x', tenant: 't' }),
      says('Done.'),
    ],
    { ...depot, guardrails: { approvalMode: 'auto' } },
  );
  const app = await launch({ agents });
  const workspace = await makeFolder();
  const sessionId = await app.start({ agent: 'sender', prompt: 'Tidy up', workspace });
  const ui = consoleOf(app.page);
  const card = await openCard(ui.cards());
  await expect(card.card).toContainText('ai:confirm');
  await expect(card.command).toHaveText([DEPOT, 'parcel', 'rm', '--force', '--tenant=t', '--', '--all']);
  await card.approve.click();
  await app.reached(sessionId, 'completed');
  const results = app.journal.bodies(sessionId, 'call_result');
  const argvOf = (content: string) => {
    const { output } = JSON.parse(content) as { output: string };
    return (JSON.parse(output) as { argv: string[] }).argv;
  };
  expect(argvOf(results[0]?.content ?? '')).toEqual(['depot', 'ls', '--tenant=t']);
  expect(argvOf(results[1]?.content ?? '')).toEqual(['parcel', 'rm', '--force', '--tenant=t', '--', '--all']);
  expect(results[2]).toMatchObject({ isError: true, content: expect.stringContaining('There is no tool named') });
});

test('from ten tools on a model searches for them, and the page says so', async ({ launch, makeFolder, server }) => {
  const app = await launch({ agents: claude('keeper', { ...depot, computer: true }), env: serverEnvironment(server) });
  const { agents, table } = await openAgents(app, 'keeper');
  await expect(agents.getByText('6 of 18 tools are found by searching')).toBeVisible();
  await expect(table.getByRole('row').filter({ hasText: 'parcel_ls' })).toContainText('found by search');
  await expect(table.getByRole('row').filter({ hasText: 'depot_ls' })).not.toContainText('found by search');

  server.enqueue(
    message([
      text('I look for it.'),
      ...toolSearch('srvtoolu_1', 'list parcels', 'parcel_ls'),
      toolCall('call_1', 'parcel_ls', '{"tenant":"t"}'),
    ]),
    say('There are none.'),
  );
  const sessionId = await app.start({ agent: 'keeper', prompt: 'Which parcels?', workspace: await makeFolder() });
  await app.reached(sessionId, 'completed');
  expect(app.journal.bodies(sessionId, 'call_result')).toMatchObject([{ tool: 'parcel_ls', isError: false }]);
  const second = server.requests[1]?.body.messages[1]?.content;
  expect(second).toMatchObject([
    { type: 'text' },
    { type: 'server_tool_use' },
    { type: 'tool_search_tool_result' },
    { type: 'tool_use' },
  ]);
});

test('the git agent that ships is there, ready to run', async ({ launch }) => {
  const app = await launch();
  const agentId = await app.agentId('git');
  const { details } = await ask(app.page, 'getAgent', { agentId });
  expect(details).toMatchObject({ problems: [], warnings: [], toolSearch: { on: true } });
});
