import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AgentLibrary } from '../../../src/main/agents/library';
import { agentDetails, tryTool } from '../../../src/main/runs/agent-details';
import { Preparer } from '../../../src/main/runs/prepare-agent';
import { createProcessTier } from '../../../src/main/sandbox/process-tier';
import { AgentDetails } from '../../../src/shared/agent-details';
import { DEPOT } from '../../support/fisk';
import { pidsWithArgument } from '../../support/processes';
import { folderForEachTest } from '../agents/agents-folder';
import { tempFolder } from '../tools/computer/helpers';

const SERVER = join(import.meta.dirname, '../../support/mcp-server.mjs');

const folder = folderForEachTest();

async function preparerOf(file: object) {
  const path = await folder.write(
    'a.agent.yaml',
    JSON.stringify({ name: 'a', applications: [{ path: DEPOT }], ...file }),
  );
  const preparer = new Preparer({
    library: new AgentLibrary({ shippedFolder: null, folders: [folder.path] }),
    sandbox: createProcessTier('details'),
    environment: { PATH: process.env.PATH, HOME: '/root', SECRET: 'x', EXTRA: 'y' },
    connection: () => ({ apiKey: 'k', baseUrl: null, defaultModel: 'claude-sonnet-4-5' }),
    dataFolder: await tempFolder(),
  });
  return { path, preparer };
}

const details = async (file: object) => {
  const { path, preparer } = await preparerOf(file);
  return agentDetails(await preparer.resolve(path));
};

test('what the page shows is what the next run gets', async () => {
  const { path, preparer } = await preparerOf({
    global_flags: ['context'],
    exclude: { tools: ['^shell$'] },
    environment: { pass: ['EXTRA'] },
    harness: { human_in_the_loop: { enabled: true } },
  });
  const shown = agentDetails(await preparer.resolve(path));
  const run = await preparer.prepare(path, await tempFolder(), null);
  expect(AgentDetails.parse(shown)).toEqual(shown);
  expect(shown.tools.map(({ name }) => name)).toEqual([...run.tools.keys()]);
  for (const tool of shown.tools) {
    const { description, inputSchema, tags } = run.tools.get(tool.name) ?? {};
    expect(tool).toMatchObject({ description, inputSchema, tags });
  }
  expect(shown.environment).toEqual(Object.keys(run.context.environment).sort());
  expect(shown.environment).toEqual(['EXTRA', 'HOME', 'LLMFORMAT', 'PATH', 'SAYSO']);
  expect([shown.model, shown.provider]).toEqual([run.fingerprint.model, run.provider]);
  expect(shown.sandbox).toEqual(run.context.sandbox.tier);
  expect(shown.warnings).toEqual(run.warnings);
});

test('what would keep it from running is shown, and keeps it from running', async () => {
  const { path, preparer } = await preparerOf({ global_flags: ['nope'] });
  expect(agentDetails(await preparer.resolve(path)).problems[0]?.message).toContain('"nope" is no flag');
  await expect(preparer.prepare(path, await tempFolder(), null)).rejects.toThrow('"nope" is no flag');
});

describe('the gate of a tool', () => {
  const gates = async (file: object) =>
    Object.fromEntries((await details({ computer: false, ...file })).tools.map(({ name, gate }) => [name, gate]));
  const accepted = { sandbox: { accept: ['process'] } };

  test.each([
    ['parcel_ls', {}, { tag: null, auto: 'runs', ask: 'runs', readonly: 'runs' }],
    ['parcel_note', accepted, { tag: null, auto: 'runs', ask: 'asks', readonly: 'refused' }],
    ['parcel_note', {}, { tag: null, auto: 'asks', ask: 'asks', readonly: 'refused' }],
    ['parcel_rm', accepted, { tag: 'ai:confirm', auto: 'asks', ask: 'asks', readonly: 'refused' }],
    [
      'parcel_ls',
      { harness: { confirm_tags: ['scope:parcel'] } },
      { tag: 'scope:parcel', auto: 'asks', ask: 'asks', readonly: 'refused' },
    ],
  ])('%s with %j', async (name, file, expected) => {
    expect((await gates(file))[name]).toEqual(expected);
  });
});

test('a tool is tried without being run, and a lookalike in it is marked', async () => {
  const { path, preparer } = await preparerOf({});
  const resolved = await preparer.resolve(path);
  const tried = await tryTool(resolved, 'depot_ls', '{"tenant":"a\\u200bb"}', null);
  if (!tried.ok) throw new Error(tried.error);
  expect(tried.command.map(({ segments }) => segments.map(({ text }) => text).join(''))).toEqual([
    DEPOT,
    'depot',
    'ls',
    expect.stringMatching(/^--tenant=a.+b$/),
  ]);
  expect(tried.command.at(-1)?.warnings).toEqual(['hidden']);
  expect(await tryTool(resolved, 'depot_ls', '{}', null)).toEqual({
    ok: false,
    error: expect.stringContaining('tenant is required'),
  });
  await expect(tryTool(resolved, 'nope', '{}', null)).rejects.toThrow('has no tool nope');
  await expect(tryTool(resolved, 'depot_ls', '{}', '/no/such/folder')).rejects.toThrow('There is no folder');
});

test('a try tells the window nothing of what is in a file', async () => {
  const { path, preparer } = await preparerOf({});
  const resolved = await preparer.resolve(path);
  await folder.write('secret.txt', 'the secret\n');
  const input = '{"path":"secret.txt","content":""}';
  expect(JSON.stringify(await tryTool(resolved, 'write_file', input, folder.path))).not.toContain('the secret');

  const edit = (oldString: string, more: object = {}) => {
    const given = JSON.stringify({ path: 'secret.txt', oldString, newString: 'x', ...more });
    return tryTool(resolved, 'edit_file', given, folder.path);
  };
  // The same, whether the text is there, often, or not at all.
  const shown = async (oldString: string) => JSON.stringify(await edit(oldString)).replace(`"${oldString}"`, '');
  expect(await shown('the secret')).toBe(await shown('no such words'));
  expect(await shown('e')).toBe(await shown('z'));
  expect(await edit('a', { replaceAll: true })).toMatchObject({
    ok: true,
    preview: { kind: 'arguments', rows: [{ name: 'path', value: 'secret.txt' }, {}, {}, { name: 'replaceAll' }] },
  });
  expect(await edit('a', { path: '.env' })).toMatchObject({
    ok: false,
    error: expect.stringContaining('is protected'),
  });
  expect(await edit('a', { path: 'gone' })).toMatchObject({
    ok: false,
    error: expect.stringContaining('no such file'),
  });
});

describe('the tools of MCP servers', () => {
  /** The last argument tells the processes of one test from those of others. */
  const server = (name: string, behaviour: string, more: object = {}) => ({
    name,
    command: [process.execPath, SERVER, behaviour, folder.path],
    ...more,
  });
  const leftFolders = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('sayso-servers-'));
  const asked = async (file: object) => {
    const { path, preparer } = await preparerOf(file);
    return preparer.resolve(path, 'ask');
  };

  beforeEach(async () => {
    vi.stubEnv('TMPDIR', await tempFolder());
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test('are those of the next run, once the servers were asked; nothing of them is left then', async () => {
    const { path, preparer } = await preparerOf({
      exclude: { tools: ['^open_say$'] },
      mcp: [server('open', 'plain', { trust_read_only: true }), server('odd', 'schemas'), server('gone', 'stillborn')],
    });
    const shown = agentDetails(await preparer.resolve(path, 'ask'));
    expect(await pidsWithArgument(folder.path)).toEqual([]);
    expect(await leftFolders()).toEqual([]);
    expect(AgentDetails.parse(shown)).toEqual(shown);

    const run = await preparer.prepare(path, await tempFolder(), null);
    await run.servers.close();
    expect(shown.tools.map(({ name }) => name)).toEqual([...run.tools.keys()]);
    for (const tool of shown.tools) {
      const { kind, description, inputSchema, tags } = run.tools.get(tool.name) ?? {};
      expect(tool).toMatchObject({ kind, description, inputSchema, tags });
    }
    expect(shown.warnings).toEqual([...run.warnings, ...run.servers.complaints]);
    expect(shown.warnings.join('\n')).toMatch(/The MCP server odd: The tool huge is left out: /);
    expect(shown.warnings.join('\n')).toMatch(/The MCP server gone is not used: .*no config/);

    const gates = shown.tools.filter(({ source }) => source === 'open').map(({ name, gate }) => [name, gate.ask]);
    expect(gates).toEqual([
      ['open_touch', 'asks'],
      ['open_look', 'runs'],
    ]);
    expect(shown.servers.map(({ name, state, offered }) => [name, state, offered])).toEqual([
      ['open', 'listed', 3],
      ['odd', 'listed', expect.any(Number)],
      ['gone', 'unavailable', 0],
    ]);
  });

  test('are not asked for unless somebody says so', async () => {
    const shown = await details({ mcp: [server('open', 'plain')] });
    expect(shown.servers).toMatchObject([{ name: 'open', state: 'unasked', offered: 0 }]);
    expect(shown.tools.filter(({ source }) => source === 'open')).toEqual([]);
    expect(shown.warnings.join()).toContain('known once it is started');
  });

  test('two of one name keep it from running, and are shown', async () => {
    const { path, preparer } = await preparerOf({ mcp: [server('twin', 'collide')] });
    const shown = agentDetails(await preparer.resolve(path, 'ask'));
    expect(shown.problems[0]?.message).toContain('two tools are named twin_a_b');
    await expect(preparer.prepare(path, await tempFolder(), null)).rejects.toThrow('two tools are named twin_a_b');
    expect(await pidsWithArgument(folder.path)).toEqual([]);
  });

  test('are asked for in the workspace of the agent, which has to be there', async () => {
    const { path, preparer } = await preparerOf({ mcp: [server('open', 'plain')], workspace: '/no/such/folder' });
    await expect(preparer.resolve(path, 'ask')).rejects.toThrow('The workspace /no/such/folder is not there');
    expect(agentDetails(await preparer.resolve(path)).problems).toEqual([]);
  });

  test('are asked for no longer than the app is there', async () => {
    const { path, preparer } = await preparerOf({ mcp: [server('slow', 'deaf')] });
    const listing = preparer.resolve(path, 'ask');
    await expect.poll(() => pidsWithArgument(folder.path), { timeout: 10_000 }).not.toEqual([]);
    expect(await leftFolders()).toHaveLength(1);
    await preparer.close();
    expect(agentDetails(await listing).servers).toMatchObject([{ state: 'unavailable' }]);
    expect(await pidsWithArgument(folder.path)).toEqual([]);
    expect(await leftFolders()).toEqual([]);
  });

  test('are not asked for in less than the sandbox that the file requires', async () => {
    const shown = agentDetails(await asked({ mcp: [server('open', 'plain')], sandbox: { require: 'confined' } }));
    expect(shown.servers).toMatchObject([{ state: 'unasked' }]);
    expect(shown.problems[0]?.message).toContain('requires a confined sandbox');
  });
});
