import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentDefinition } from '../../../src/main/agents/definition';
import { loadAgent } from '../../../src/main/agents/load';
import { type ResolvedAgent, resolveAgent } from '../../../src/main/runs/resolve-agent';
import { createProcessTier } from '../../../src/main/sandbox/process-tier';
import type { ActionTool } from '../../../src/main/tools/tool';
import { DEPOT } from '../../support/fisk';
import { contextOf, quietIo, tempFolder } from '../tools/computer/helpers';
import { folderForEachTest } from './agents-folder';

const folder = folderForEachTest();
const parts = {
  environment: { PATH: process.env.PATH, ANTHROPIC_API_KEY: 'secret' },
  defaultModel: 'claude-sonnet-4-5',
  sandbox: createProcessTier('wrapped-tools'),
};

async function agentOf(text: string): Promise<AgentDefinition> {
  const load = await loadAgent(await folder.write('a.agent.yaml', `name: a\ncomputer: false\n${text}`));
  if (!load.ok) throw new Error(load.problems.map(({ message }) => message).join('; '));
  return load.agent;
}

const resolve = async (text: string): Promise<ResolvedAgent> => resolveAgent(await agentOf(text), parts);
const depot = `applications: [{ path: ${DEPOT} }]\n`;
const names = ({ tools }: ResolvedAgent) => tools.map(({ tool }) => tool.name);
const problems = ({ problems: all }: ResolvedAgent) =>
  all.map(({ message, line, column }) => `${line}:${column} ${message}`);

function action(resolved: ResolvedAgent, name: string): ActionTool {
  const tool = resolved.tools.map((sourced) => sourced.tool).find((candidate) => candidate.name === name);
  if (tool?.kind !== 'action') throw new Error(`no tool ${name}`);
  return tool;
}

describe('a Fisk application', () => {
  test('becomes one tool a command, without groups, hidden ones and those that are denied', async () => {
    const resolved = await resolve(depot);
    expect(problems(resolved)).toEqual([]);
    expect(names(resolved)).toEqual([
      'parcel_ls',
      'parcel_send',
      'parcel_rm',
      'parcel_note',
      'depot_ls',
      'say',
      'cow_think',
    ]);
    expect(resolved.tools.every(({ source }) => source === 'depot')).toBe(true);
  });

  test('is warned about: tags that are unknown and tags that contradict each other', async () => {
    const { warnings } = await resolve(depot);
    expect(warnings).toEqual([
      expect.stringContaining('say: the tag "ai:speak" is unknown'),
      expect.stringContaining('say: the tags ai:read_only and ai:destructive contradict each other'),
    ]);
  });

  test('is dangerous unless a command only reads; a contradiction counts as the worse', async () => {
    const resolved = await resolve(depot);
    const harmless = names(resolved).filter((name) => !action(resolved, name).dangerous);
    expect(harmless).toEqual(['parcel_ls', 'depot_ls']);
  });

  test('is described by help and long help, with the tags at the end', async () => {
    const resolved = await resolve(depot);
    expect(action(resolved, 'parcel_ls').description).toBe(
      'List parcels, newest first. Prints one line a parcel.\n\nTags: ai:read_only, ai:idempotent, scope:parcel',
    );
    expect(action(resolved, 'cow_think').description).toBe('Think with a cow');
  });

  test('exposes required flags of its own, others where they are named, and no framework flag', async () => {
    const properties = (tool: ActionTool) => Object.keys(tool.inputSchema.properties as object);
    const plain = await resolve(depot);
    expect(properties(action(plain, 'depot_ls'))).toEqual(['tenant']);
    const named = await resolve(`${depot}global_flags: [context]\n`);
    expect(problems(named)).toEqual([]);
    expect(properties(action(named, 'depot_ls'))).toEqual(['context', 'tenant']);
    const send = (action(named, 'parcel_send').inputSchema.properties as Record<string, { description: string }>)
      .context;
    expect(send?.description).toBe('Delivery context');
    expect(named.globalFlags.map(({ name, exposed }) => [name, exposed])).toEqual([
      ['context', true],
      ['server', false],
      ['password', false],
      ['trace', false],
      ['tenant', true],
    ]);
  });

  test.each([
    ['help', 'makes a command print something'],
    ['fisk-introspect', 'makes a command print something'],
    ['completion-bash', 'makes a command print something'],
    ['debug-dump', 'is a hidden flag'],
    ['contex', 'did you mean "context"?'],
    ['--context', 'is written without dashes: "context"'],
    ['nothing-like-it', 'is no flag of an application of this agent'],
  ])('the global flag %s is a problem with its place', async (flag, words) => {
    const [problem, ...more] = problems(await resolve(`${depot}global_flags: [trace, "${flag}"]\n`));
    expect(problem).toMatch(/^4:23 global_flags: /);
    expect(problem).toContain(words);
    expect(more).toEqual([]);
  });

  test('runs with exactly the argv of its description, in its clean environment', async () => {
    const resolved = await resolve(`${depot}global_flags: [context]\n`);
    const workspace = await tempFolder();
    const context = contextOf(workspace, { environment: resolved.environment });
    const prepared = await action(resolved, 'parcel_send').prepare(
      '{"parcel":"--force","to":"north","weight":9007199254740993,"context":"x","tenant":"t","label":["a","b c"]}',
      context,
    );
    const argv = [
      ...['parcel', 'send', '--label=a', '--label=b c', '--weight=9007199254740993', '--context=x', '--tenant=t'],
      ...['--', '--force', 'north'],
    ];
    expect(prepared.program).toBeNull();
    expect(prepared.command).toEqual([DEPOT, ...argv]);
    const output = await prepared.execute(quietIo());
    const result = JSON.parse(output.content) as { exit_code: number; output: string };
    expect(result.exit_code).toBe(0);
    expect(JSON.parse(result.output)).toEqual({ argv, cwd: workspace, LLMFORMAT: '1', SAYSO: '1', secrets: [] });
  });

  test('is not started when its name has come to mean another program', async () => {
    const [first, second, workspace] = [await tempFolder(), await tempFolder(), await tempFolder()];
    const script = `#!/bin/sh\nexec ${DEPOT} "$@"\n`;
    for (const place of [first, second]) {
      await writeFile(join(place, 'tool'), script);
      await chmod(join(place, 'tool'), 0o755);
    }
    const path = `${second}:${process.env.PATH}`;
    const agent = await agentOf('applications: [{ path: tool }]\n');
    const resolved = await resolveAgent(agent, { ...parts, environment: { PATH: path } });
    const context = contextOf(workspace, { environment: { PATH: `${first}:${path}` } });
    await expect(action(resolved, 'depot_ls').prepare('{"tenant":"t"}', context)).rejects.toThrow(
      'so it is not started',
    );
  });
});

describe('what describes itself badly', () => {
  async function app(body: string): Promise<readonly string[]> {
    const path = await folder.write('broken', `#!${process.execPath}\n${body}\n`);
    await chmod(path, 0o755);
    return problems(await resolve('applications:\n  - path: ./broken\n'));
  }
  const prints = (document: unknown) =>
    app(`process.stdout.write(${JSON.stringify(JSON.stringify(document, null, 1))})`);
  const place = '4:11 ';

  test.each<[string, unknown, string]>([
    ['a document without a name', { commands: [{ name: 'a' }] }, 'line 1, column 1: "name" is missing'],
    ['no commands', { name: 'x', commands: [] }, 'line 3, column 14: it has no commands: there would be no tool'],
    ['only hidden ones', { name: 'x', commands: [{ name: 'a', hidden: true }] }, 'no command that is not hidden'],
    [
      'a flag that would be another token',
      { name: 'x', commands: [{ name: 'a', flags: [{ name: 'b=c' }] }] },
      'line 8, column 14: commands[0].flags[0].name: must be letters',
    ],
    [
      'a command that looks like a flag',
      { name: 'x', commands: [{ name: '--all' }] },
      'line 5, column 12: commands[0].name: must be one word',
    ],
    ['a wrong kind', { name: 'x', commands: [{ name: 'a', flags: 'none' }] }, 'expected a list, but this is "none"'],
    [
      'a list that repeats and is not last',
      { name: 'x', commands: [{ name: 'a', args: [{ name: 'b', cumulative: true }, { name: 'c' }] }] },
      'line 4, column 3: command "a": b repeats, but is not last',
    ],
    [
      'two arguments of one name',
      {
        name: 'x',
        commands: [{ name: 'g', commands: [{ name: 'a', flags: [{ name: 'b' }], args: [{ name: 'b' }] }] }],
      },
      'line 7, column 5: command "g a": two arguments are named b',
    ],
    [
      'a name that no tool can have',
      { name: 'x', commands: [{ name: 'a.b' }] },
      'line 4, column 3: command "a.b": "a.b" cannot be the name of a tool',
    ],
    ['a name that is too long', { name: 'x', commands: [{ name: 'a'.repeat(129) }] }, 'longer than 128 characters'],
    ['a list for a document', [1], 'expected keys and values, but this is a list'],
  ])('%s', async (_what, document, words) => {
    const [problem] = await prints(document);
    expect(problem).toContain(`${place}${join(folder.path, 'broken')} --fisk-introspect`);
    expect(problem).toContain(words);
  });

  test.each([
    [
      'JSON that is cut off',
      'console.log(\'{"name": "x",\\n "commands": [{"name": "a"\')',
      'line 3, column 1: not valid JSON',
    ],
    ['text before the JSON', "console.log('warning: {}')", 'line 1, column 1: not valid JSON'],
    ['nothing', '', 'it printed nothing'],
    [
      'an exit code',
      'console.error("unknown flag"); process.exit(2)',
      'exit code 2 (unknown flag): is it a Fisk application?',
    ],
    ['bytes that are no text', 'process.stdout.write(Buffer.from([0x7b, 0xff, 0x7d]))', 'is not UTF-8 text'],
    [
      'a flood',
      'const a = "x".repeat(1 << 20); for (let i = 0; i < 20; i += 1) process.stdout.write(a)',
      'longer than 16777216 bytes',
    ],
  ])('%s', async (_what, body, words) => {
    const [problem] = await app(body);
    expect(problem).toMatch(/^4:11 /);
    expect(problem).toContain(words);
  });

  test('a program that is not there is a problem at its place', async () => {
    expect(problems(await resolve('applications:\n  - path: no-such-program\n'))).toEqual([
      '4:11 no-such-program cannot be started: there is no such program on the PATH of the command.',
    ]);
  });
});
