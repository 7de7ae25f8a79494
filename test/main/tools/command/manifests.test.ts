import { chmod, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { loadAgent } from '../../../../src/main/agents/load';
import { resolveAgent } from '../../../../src/main/runs/resolve-agent';
import { createProcessTier } from '../../../../src/main/sandbox/process-tier';

import { quietIo, tempFolder } from '../computer/helpers';

const MANIFESTS = resolve(import.meta.dirname, '../../../../agents/manifests');

/** An agent with nothing but one of the manifests that ship. */
async function toolsOf(name: string, path = process.env.PATH ?? '') {
  const folder = await tempFolder();
  const file = join(folder, 'a.agent.yaml');
  const manifest = join(MANIFESTS, `${name}.tools.yaml`);
  await writeFile(
    file,
    JSON.stringify({
      name: 'a',
      computer: false,
      applications: [{ manifest }],
      environment: { pass: ['npm_config_update_notifier'] },
    }),
  );
  const load = await loadAgent(file);
  if (!load.ok) throw new Error(load.problems[0]?.message);
  const sandbox = createProcessTier('manifests');
  // npm would say now and then, in between, that there is a newer one.
  const environment = { PATH: path, HOME: folder, npm_config_update_notifier: 'false' };
  const resolved = await resolveAgent(load.agent, { environment, defaultModel: 'x', sandbox });
  expect([resolved.problems, resolved.warnings]).toEqual([[], []]);
  const prepare = async (tool: string, input: object, workspace = folder) => {
    const found = resolved.tools.find((sourced) => sourced.tool.name === tool)?.tool;
    if (found?.kind !== 'action') throw new Error(`no tool ${tool}`);
    return found.prepare(JSON.stringify(input), {
      workspace,
      sandbox,
      environment: resolved.environment,
      toolTimeoutMs: 60_000,
    });
  };
  const gated = resolved.tools.filter(({ tool }) => tool.tags.includes('ai:confirm')).map(({ tool }) => tool.name);
  return { prepare, gated, names: resolved.tools.map(({ tool }) => tool.name) };
}

test('npm, for real: it reads a project, and asks before it runs anything of it', async () => {
  const { prepare, gated, names } = await toolsOf('npm');
  expect(gated).toEqual(['run-script', 'install', 'uninstall']);
  expect(names).not.toContain('publish');
  const project = await tempFolder();
  await writeFile(join(project, 'package.json'), '{"name":"tea","version":"1.2.3"}');
  const run = async (tool: string, input: object) => {
    const output = await (await prepare(tool, input, project)).execute(quietIo());
    return JSON.parse(output.content) as { exit_code: number; output: string };
  };
  expect(await run('pkg_get', { key: ['version'] })).toMatchObject({
    exit_code: 0,
    output: expect.stringContaining('"1.2.3"'),
  });
  expect(await run('pkg_set', { assignment: ['license=MIT'] })).toMatchObject({ exit_code: 0 });
  expect((await run('ls', { all: true })).output).toContain('tea@1.2.3');
});

test('gh: the argv of its commands, by a program of that name', async () => {
  const bin = await tempFolder();
  await writeFile(join(bin, 'gh'), `#!${process.execPath}\nconsole.log(JSON.stringify(process.argv.slice(2)))\n`);
  await chmod(join(bin, 'gh'), 0o755);
  const { prepare, gated, names } = await toolsOf('gh', `${bin}${delimiter}${process.env.PATH}`);
  expect(names).not.toContain('issue_delete');
  expect(gated).toEqual(
    expect.arrayContaining(['issue_comment', 'issue_create', 'issue_close', 'pr_create', 'pr_merge', 'run_rerun']),
  );
  expect(gated.some((name) => /_(list|view|diff|checks)$/.test(name))).toBe(false);
  const prepared = await prepare('issue_comment', { body: '--web', issue: '12', repo: 'tea/pot' });
  const output = await prepared.execute(quietIo());
  const { output: printed } = JSON.parse(output.content) as { output: string };
  expect(JSON.parse(printed)).toEqual(['issue', 'comment', '--repo=tea/pot', '--body=--web', '--', '12']);
});
