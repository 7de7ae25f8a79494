import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AgentLibrary } from '../../src/main/agents/library';
import { Preparer } from '../../src/main/runs/prepare-agent';
import { ToolError } from '../../src/main/tools/tool';
import { confinable, firstTier } from '../main/sandbox/confined';
import { call, tempFolder } from '../main/tools/computer/helpers';

const AGENT = JSON.stringify({
  name: 'mine',
  provider: 'scripted',
  script: 'script.yaml',
  guardrails: { approvalMode: 'auto' },
});
const OTHER = JSON.stringify({ name: 'other', provider: 'scripted', script: 'script.yaml' });
const SCRIPT = 'turns:\n  - say: Done.\n';

/** A run of an agent whose files lie in its own workspace, as agents are kept beside the project that they are for. */
async function runBeside(where: 'opened' | 'folder' | 'link') {
  const workspace = await tempFolder();
  const agents = join(workspace, 'agents');
  await mkdir(agents);
  for (const [name, text] of Object.entries({
    'mine.agent.yaml': AGENT,
    'other.agent.yaml': OTHER,
    'script.yaml': SCRIPT,
  })) {
    await writeFile(join(agents, name), text);
  }
  if (where === 'link') {
    await rename(agents, join(workspace, 'real'));
    await symlink('real', agents);
  }
  const files = ['mine', 'other'].map((name) => join(agents, `${name}.agent.yaml`));
  const preparer = new Preparer({
    library: new AgentLibrary({
      shippedFolder: null,
      folders: where === 'opened' ? [] : [agents],
      files: where === 'opened' ? files : [],
    }),
    sandbox: await firstTier(),
    environment: { PATH: process.env.PATH, HOME: process.env.HOME },
    connection: () => ({ apiKey: 'k', baseUrl: null, defaultModel: 'none' }),
    dataFolder: await tempFolder(),
  });
  const { context } = await preparer.prepare(files[0] ?? '', workspace, null);
  return { workspace, context };
}

describe.runIf(confinable)('an agent cannot change what an agent is, though its files lie in its workspace', () => {
  describe.each(['opened', 'folder', 'link'] as const)('%s', (where) => {
    it.each(['mine.agent.yaml', 'other.agent.yaml', 'script.yaml'])('%s', async (name) => {
      const { workspace, context } = await runBeside(where);
      const path = join('agents', name);
      const before = await readFile(join(workspace, path), 'utf8');
      const scripts = [
        `echo x >> ${path}`,
        `rm -f ${path}; echo x > ${path}`,
        `echo x > new; mv new ${path}`,
        'cp -r agents/ other; echo x >> other/mine.agent.yaml; mv agents gone; mv other agents',
        'rm -rf agents real; mkdir agents; echo x > agents/mine.agent.yaml',
      ];
      for (const script of scripts) {
        await context.sandbox.run(
          {
            argv: ['/bin/sh', '-c', script],
            cwd: workspace,
            workspace,
            environment: context.environment,
            timeoutMs: 60_000,
          },
          { signal: new AbortController().signal, onOutput: () => undefined },
        );
        expect(await readFile(join(workspace, path), 'utf8'), script).toBe(before);
      }
      for (const [tool, input] of [
        ['write_file', { path, content: 'x' }],
        ['edit_file', { path, oldString: before.slice(0, 5), newString: 'x' }],
        ['delete', { path: 'agents', recursive: true }],
        ['move', { from: path, to: basename(path) }],
      ] as const) {
        await expect(call(context, tool, input), tool).rejects.toBeInstanceOf(ToolError);
      }
      expect(await readFile(join(workspace, path), 'utf8')).toBe(before);
    });
  });

  it('nor add one to a folder of them', async () => {
    const { workspace, context } = await runBeside('folder');
    await expect(call(context, 'write_file', { path: 'agents/new.agent.yaml', content: 'x' })).rejects.toThrow(
      'no key of the agent file opens it',
    );
    expect(execFileSync('ls', [join(workspace, 'agents')], { encoding: 'utf8' })).not.toContain('new');
  });
});
