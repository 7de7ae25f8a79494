import { expect, test } from 'vitest';
import type { AgentDefinition } from '../../../src/main/agents/definition';
import { fingerprint } from '../../../src/main/agents/fingerprint';
import { loadAgent } from '../../../src/main/agents/load';
import { toolSet, toolWarnings } from '../../../src/main/agents/tool-set';
import type { ActionTool, QuestionTool } from '../../../src/main/tools/tool';
import { folderForEachTest } from './agents-folder';

const folder = folderForEachTest();

const action = (name: string, tags: readonly string[] = []): ActionTool => ({
  kind: 'action',
  source: 'computer',
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
  tags,
  dangerous: false,
  prepare: () => Promise.reject(new Error('not in this test')),
});

const question = (name: string): QuestionTool => ({
  kind: 'question',
  source: 'human',
  name,
  description: `Asks ${name}.`,
  inputSchema: { type: 'object' },
  tags: [],
  parse: () => ({ question: 'x', form: { form: 'confirm' } }),
});

const available = { computer: [action('list_dir'), action('read_file')], human: [question('ask_human_confirm')] };

test.each([
  [true, true, ['list_dir', 'read_file', 'ask_human_confirm']],
  [true, false, ['list_dir', 'read_file']],
  [false, true, ['ask_human_confirm']],
  [false, false, []],
])('with computer %s and human_in_the_loop %s the tools are as the file says', (computer, humanInTheLoop, expected) => {
  expect(toolSet({ computer, humanInTheLoop }, available).map(({ name }) => name)).toEqual(expected);
});

test('two tools of one name are an error', () => {
  const twice = { computer: [action('x'), action('x')], human: [] };
  expect(() => toolSet({ computer: true, humanInTheLoop: true }, twice)).toThrow('two tools are named x');
});

test('a tag that no tool has is a warning', () => {
  const tools = [action('a', ['impact:rw']), action('b')];
  expect(toolWarnings({ confirmTags: ['impact:rw', 'impact:wr'] }, tools)).toEqual([
    'harness.confirm_tags: no tool of this agent is tagged "impact:wr", so it gates nothing',
  ]);
});

async function agentOf(text: string): Promise<AgentDefinition> {
  const load = await loadAgent(await folder.write('a.agent.yaml', text));
  if (!load.ok) throw new Error(load.problems[0]?.message);
  return load.agent;
}

test('a fingerprint tells which part of an agent has changed, and nothing else', async () => {
  const tools = [action('a'), action('b')];
  const base = fingerprint(await agentOf('name: a\nprompt: x\n'), 'm', tools);
  const changed = async (text: string, model = 'm', set = tools) => {
    const now = fingerprint(await agentOf(text), model, set);
    return Object.entries(base).flatMap(([part, value]) => (now[part as keyof typeof now] === value ? [] : [part]));
  };
  expect(await changed('prompt: x\nname: a\ndescription: new words\n')).toEqual([]);
  expect(await changed('name: a\nprompt: x\n', 'm', [...tools].reverse())).toEqual([]);
  expect(await changed('name: a\nprompt: y\n')).toEqual(['prompt']);
  expect(await changed('name: a\nprompt: x\nthinking: true\n')).toEqual(['prompt']);
  expect(await changed('name: a\nprompt: x\n', 'n')).toEqual(['model']);
  expect(await changed('name: a\nprompt: x\n', 'm', [action('a')])).toEqual(['tools']);
  expect(await changed('name: a\nprompt: x\nlimits: { maxTurns: 3 }\n')).toEqual(['limits']);
});
