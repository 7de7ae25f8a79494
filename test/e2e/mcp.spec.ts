import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { calls, says, scripted } from '../support/agents';
import { expect, PROJECT, test } from '../support/app';
import { ask } from '../support/bridge';
import { consoleOf, openCard } from '../support/console';
import { pidsWithArgument } from '../support/processes';

const MODULES = join(PROJECT, 'node_modules');
const FILES = join(MODULES, '@modelcontextprotocol/server-filesystem/dist/index.js');
const HOSTILE = join(PROJECT, 'test/support/mcp-server.mjs');
/** On the command lines of the servers of one test only. */
const LISTED = 'only-to-list-its-tools';
const words = JSON.stringify({ requestedSchema: { type: 'object', properties: { branch: { type: 'string' } } } });

test('a run writes through the reference filesystem server once that was approved, and answers what a server asks', async ({
  launch,
  makeFolder,
}) => {
  const app = await launch({
    agents: scripted(
      'mcp',
      [
        calls('files_list_directory', { path: '.' }),
        calls('files_write_file', { path: 'made.txt', content: 'made\n' }),
        calls('asker_say', { words }),
        calls('dier_say', {}),
        says('Done.'),
      ],
      {
        mcp: [
          { name: 'files', command: ['node', FILES, '.'], trust_read_only: true },
          { name: 'asker', command: ['node', HOSTILE, 'elicit'] },
          { name: 'dier', command: ['node', HOSTILE, 'die'] },
        ],
        sandbox: { read: [MODULES, HOSTILE] },
      },
    ),
  });
  const workspace = await makeFolder();
  const sessionId = await app.start({ agent: 'mcp', prompt: 'Write', workspace });
  const ui = consoleOf(app.page);

  const write = await openCard(ui.cards().filter({ hasText: 'files_write_file' }));
  await expect(write.card).toContainText('MCP server');
  await expect(write.card).toContainText('made.txt');
  await expect(readFile(join(workspace, 'made.txt'))).rejects.toThrow('ENOENT');
  await write.approve.click();

  const say = await openCard(ui.cards().filter({ hasText: 'asker_say' }));
  await say.approve.click();
  const question = ui.inbox.getByRole('article', { name: 'Question: asker elicitation' });
  await expect(question).toContainText('The MCP server asker asks');
  await question.getByRole('textbox').first().fill('main');
  await question.getByRole('button', { name: 'Answer', exact: true }).click();

  const die = await openCard(ui.cards().filter({ hasText: 'dier_say' }));
  await die.approve.click();
  await app.reached(sessionId, 'completed');

  expect(await readFile(join(workspace, 'made.txt'), 'utf8')).toBe('made\n');
  const results = app.journal.bodies(sessionId, 'call_result');
  expect(results.map(({ isError }) => isError)).toEqual([false, false, false, true]);
  expect(results[2]?.content).toContain('"branch":"main"');
  await expect(ui.timeline).toContainText('The MCP server files was started with 14 tools');
  await expect(ui.timeline).toContainText('ended with exit code 7');
  await expect.poll(() => pidsWithArgument(FILES)).toEqual([]);
});

test('the agents page lists the tools of servers when the operator says so, and as long as that takes', async ({
  launch,
}) => {
  const app = await launch({
    agents: scripted('mcp', [says('Hello.')], {
      computer: false,
      exclude: { tools: ['^plain_say$'] },
      mcp: [
        { name: 'plain', command: ['node', HOSTILE, 'plain', LISTED], trust_read_only: true },
        { name: 'gone', command: ['node', HOSTILE, 'stillborn', LISTED] },
      ],
      sandbox: { read: [MODULES, HOSTILE] },
    }),
  });
  await app.page.getByRole('button', { name: 'Agents', exact: true }).click();
  const agents = app.page.getByRole('main', { name: 'Agents' });
  await agents.getByRole('button', { name: 'mcp', exact: true }).click();
  const servers = agents.getByRole('region', { name: 'MCP servers' });
  const server = (name: string) => servers.getByRole('listitem').filter({ hasText: name });
  await expect(server('plain')).toContainText('its tools are not known yet');
  await expect(agents).toContainText('It has none: it can only talk.');

  await servers.getByRole('button', { name: "List the servers' tools" }).click();
  const table = agents.getByRole('table', { name: 'Tools' });
  await expect(table.getByRole('row', { name: 'plain_touch' })).toContainText('asks in ask mode');
  await expect(table.getByRole('row', { name: 'plain_look' })).toContainText('never asks');
  await expect(table.getByRole('row')).toHaveCount(3);
  await expect(server('stillborn')).toContainText('could not be used: see the warnings');
  await expect(server('plain')).toContainText('3 tools, of which the agent has 2');
  await expect(agents.getByRole('list', { name: 'Warnings' })).toContainText('The MCP server gone is not used');
  await expect.poll(() => pidsWithArgument(LISTED)).toEqual([]);

  const agentId = await app.agentId('mcp');
  const { details } = await ask(app.page, 'getAgent', { agentId });
  expect(details?.servers.map(({ state }) => state)).toEqual(['unasked', 'unasked']);
});
