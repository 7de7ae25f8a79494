import { describe, expect, test } from 'vitest';
import { AgentLibrary } from '../../../src/main/agents/library';
import { agentDetails, tryTool } from '../../../src/main/runs/agent-details';
import { Preparer } from '../../../src/main/runs/prepare-agent';
import { createProcessTier } from '../../../src/main/sandbox/process-tier';
import { AgentDetails } from '../../../src/shared/agent-details';
import { DEPOT } from '../../support/fisk';
import { folderForEachTest } from '../agents/agents-folder';
import { tempFolder } from '../tools/computer/helpers';

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
});
