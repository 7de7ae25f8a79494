import { expect, test } from 'vitest';
import type { AgentDefinition } from '../../../src/main/agents/definition';
import { loadAgent } from '../../../src/main/agents/load';
import { resolveAgent } from '../../../src/main/runs/resolve-agent';
import { createProcessTier } from '../../../src/main/sandbox/process-tier';
import { DEPOT } from '../../support/fisk';
import { folderForEachTest } from './agents-folder';

const folder = folderForEachTest();

async function open(name: string, text: string): Promise<AgentDefinition> {
  const load = await loadAgent(await folder.write(name, text));
  if (!load.ok) throw new Error(load.problems.map(({ message }) => message).join('; '));
  return load.agent;
}

async function problems(name: string, text: string): Promise<string[]> {
  const load = await loadAgent(await folder.write(name, text));
  return load.ok ? [] : load.problems.map(({ message, line, column }) => `${line}:${column} ${message}`);
}

const FISK = `
identity: Depot_Keeper
application_path: ${DEPOT}
system_prompt: |
  You keep the depot.
include:
  tools: [^parcel_]
exclude:
  tags: [impact:rw]
llm:
  model: claude-sonnet-4-6
  budget: { max_tokens: 1000, max_iterations: 7, call_timeout: 1m30s, max_output_tokens: 0 }
  thinking: { enabled: true }
  reasoning_effort: high
harness:
  human_in_the_loop: { enabled: true }
  confirm_tags: [ai:additive]
  tool_timeout: 0s
  memory: { enabled: true }
expose: { agent: { mcp: {} } }
remote_tools: [{ name: nats }]
`;

test('Fisk AI’s agent.yaml is opened as it is', async () => {
  const agent = await open('agent.yaml', FISK);
  expect(agent).toMatchObject({
    name: 'depot-keeper',
    model: 'claude-sonnet-4-6',
    thinking: true,
    prompt: 'You keep the depot.\n',
    computer: false,
    humanInTheLoop: true,
    confirmTags: ['ai:additive'],
    approvalMode: 'ask',
    limits: { maxTokens: 1_000, maxTurns: 7, callTimeoutMs: 90_000, toolTimeoutMs: 86_400_000, maxOutputTokens: 8_192 },
  });
  expect(agent.notes.map((note) => note.split(':')[0])).toEqual([
    ...['llm.reasoning_effort', 'harness.memory', 'expose', 'remote_tools', 'guardrails'],
  ]);
  const resolved = await resolveAgent(agent, {
    environment: process.env,
    defaultModel: 'x',
    sandbox: createProcessTier('foreign'),
  });
  expect(resolved.problems).toEqual([]);
  const names = resolved.tools.map(({ tool }) => tool.name).filter((name) => !name.startsWith('ask_human'));
  expect(names).toEqual(['parcel_ls', 'parcel_rm', 'parcel_note']);
  expect(resolved.warnings).toEqual(expect.arrayContaining([...agent.notes]));
});

test.each([
  [
    'a key that is not known, as it may restrict something',
    'harness:\n  deny_all: true\n',
    '4:3 unknown key "harness.deny_all"',
  ],
  ['another provider', '', '3:34 llm.provider: "openai" is not supported'],
  [
    'a pattern that could hang, at its place',
    'exclude:\n  tools: ["(a+)+"]\n',
    '4:11 exclude.tools[0]: "(a+)+": repeats',
  ],
  [
    'a limit that is none, at its place',
    'harness: { tool_timeout: soon }\n',
    '3:26 limits.toolTimeout: "soon" is no duration',
  ],
])('of Fisk’s file %s is an error', async (_what, more, expected) => {
  const provider = expected.includes('openai') ? ', provider: openai' : '';
  const text = `application_path: x\nsystem_prompt: y\nllm: { model: claude-sonnet-4-6${provider} }\n${more}`;
  const [problem] = await problems('agent.yaml', text);
  expect(problem).toContain(expected.replace(/^\d+:\d+ /, ''));
  expect(problem).toMatch(/^\d+:\d+ /);
});

const HUSK = `
apiVersion: husk/v1
name: ci-triage
description: Reads failing logs
model: anthropic/claude-sonnet-4-6
fallbackModels: [flash]
persona: You triage failures.
knowledge:
  - title: Layout
    content: packages are libraries
tools: [files, web]
computer:
  network: { mode: egress }
  env: { CI: '1', TOKEN: '\${TOKEN}', URL: 'http://\${HOST}' }
limits: { maxSteps: 20, execTimeoutSec: 60 }
guardrails:
  approvalMode: auto
  refuse: [deploying anything]
triggers: [{ type: cli }]
`;

test('Husk’s husk.yaml is opened as it is, with its own defaults', async () => {
  const agent = await open('husk.yaml', HUSK);
  expect(agent).toMatchObject({
    name: 'ci-triage',
    model: 'claude-sonnet-4-6',
    approvalMode: 'auto',
    limits: { maxTurns: 20, maxTokens: 200_000, maxCostUsd: 0.5, toolTimeoutMs: 60_000 },
    environment: { pass: ['TOKEN'], set: { CI: '1' } },
    sandbox: { require: 'confined', network: false },
  });
  expect(agent.prompt).toContain('### Layout\npackages are libraries');
  expect(agent.prompt).toContain('- deploying anything');
  expect(agent.notes).toEqual(
    expect.arrayContaining([
      expect.stringContaining('fallbackModels: not supported'),
      expect.stringContaining('computer.network: stricter here'),
      expect.stringContaining('computer.env.URL: not supported'),
    ]),
  );
  const resolved = await resolveAgent(agent, {
    environment: {},
    defaultModel: 'x',
    sandbox: createProcessTier('foreign'),
  });
  const names = resolved.tools.map(({ tool }) => tool.name);
  expect(names).toContain('edit_file');
  expect(names).not.toContain('shell');
  expect(names).not.toContain('run_command');
  expect(resolved.problems).toEqual([
    expect.objectContaining({ message: expect.stringContaining('requires a confined sandbox') }),
  ]);
});

test('the smallest husk.yaml is known by its name, and has a shell', async () => {
  const agent = await open('husk.yaml', 'name: my-bot\n');
  expect(agent).toMatchObject({ name: 'my-bot', approvalMode: 'ask', model: null });
  expect(agent.exclude.tools.map(({ value }) => value)).toContain('^write_file$');
  expect(agent.exclude.tools.map(({ value }) => value)).not.toContain('^shell$');
});

test('a husk that names http gets http_request, and one that reaches nothing may name its hosts', async () => {
  const agent = await open('husk.yaml', 'name: my-bot\ntools: [http]\n');
  expect(agent.http).toBe(true);
  const quiet = await open(
    'husk.yaml',
    'name: my-bot\ntools: [files]\ncomputer: { network: { allow: ["a.example"] } }\n',
  );
  expect(quiet.http).toBe(false);
  expect(quiet.exclude.tools.map(({ value }) => value)).toContain('^fetch_url$');
});

test.each([
  ['guardrails:\n  denyCommands: ["git push"]\n', '3:3 guardrails.denyCommands: not supported, and it would restrict'],
  ['limits: { timeoutSec: 240 }\n', '2:11 limits.timeoutSec: not supported, and it would restrict'],
  ['limits: { maxOutputBytes: 100 }\n', '2:11 limits.maxOutputBytes: not supported, and it would restrict'],
  ['computer: { memoryMb: 512 }\n', '2:13 computer.memoryMb: not supported, and it would restrict'],
  ['guardrails: { denyTools: [x] }\n', '2:15 unknown key "guardrails.denyTools"'],
  ['limits: { maxCostUsd: 0 }\n', 'limits.maxCostUsd'],
  ['tools: [web]\ncomputer: { network: { allow: ["a.example"] } }\n', '3:24 computer.network.allow: not supported'],
  ['tools: [http]\ncomputer: { network: { deny: ["a.example"] } }\n', '3:24 computer.network.deny: not supported'],
  ['tools: [web]\ncomputer: { network: { mode: none } }\n', '3:24 computer.network.mode: not supported'],
])('what would have restricted a husk is an error: %j', async (text, expected) => {
  expect((await problems('husk.yaml', `name: my-bot\n${text}`)).join('\n')).toContain(expected);
});
