import { describe, expect, test } from 'vitest';
import type { AgentDefinition } from '../../../src/main/agents/definition';
import { fingerprint } from '../../../src/main/agents/fingerprint';
import { loadAgent } from '../../../src/main/agents/load';
import { type SourcedTool, type ToolSet, toolSet, toolWarnings } from '../../../src/main/agents/tool-set';
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
  keptBy: 'app',
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

const human = question('ask_human_confirm');
const builtIn = {
  computer: [action('list_dir'), action('read_file')],
  http: [action('http_request')],
  human: [human],
  brought: [],
};
const place = { line: 2, column: 3 };
const placed = (...patterns: string[]) =>
  patterns.map((value, index) => ({ value, place: { line: 9, column: index } }));
const from = (source: string, ...tools: ActionTool[]): SourcedTool[] => tools.map((tool) => ({ tool, source, place }));
const none = { tools: [], tags: [] };
const chooser: Parameters<typeof toolSet>[0] = {
  computer: true,
  http: false,
  humanInTheLoop: true,
  include: none,
  exclude: none,
  confirmTags: [],
};
const names = ({ tools }: ToolSet) => tools.map(({ tool }) => tool.name);

test.each([
  [true, true, ['list_dir', 'read_file', 'ask_human_confirm']],
  [true, false, ['list_dir', 'read_file']],
  [false, true, ['ask_human_confirm']],
  [false, false, []],
])('with computer %s and human_in_the_loop %s the tools are as the file says', (computer, humanInTheLoop, expected) => {
  expect(names(toolSet({ ...chooser, computer, humanInTheLoop }, builtIn))).toEqual(expected);
});

test.each([true, false])('http_request is there with `http: true`, whatever computer says (%s)', (computer) => {
  expect(names(toolSet({ ...chooser, computer, http: false }, builtIn))).not.toContain('http_request');
  expect(names(toolSet({ ...chooser, computer, http: true }, builtIn))).toContain('http_request');
});

describe('selection', () => {
  const brought = from(
    'depot',
    action('parcel_ls', ['ai:read_only', 'scope:parcel']),
    action('parcel_rm', ['ai:confirm', 'scope:parcel']),
    action('depot_ls', ['ai:read_only']),
    action('depot_wipe', ['ai:deny', 'scope:parcel']),
    action('cow_think'),
  );
  const choose = (over: Partial<typeof chooser>) => toolSet({ ...chooser, ...over }, { ...builtIn, brought });
  const broughtBy = (over: Partial<typeof chooser>) =>
    names(choose(over)).filter((name) => !names(builtInSet).includes(name));
  const builtInSet = toolSet(chooser, builtIn);

  test.each<[string, Partial<typeof chooser>, string[]]>([
    ['nothing said keeps everything but what is denied', {}, ['parcel_ls', 'parcel_rm', 'depot_ls', 'cow_think']],
    [
      'a pattern of include is looked for anywhere in the name',
      { include: { tools: placed('_ls'), tags: [] } },
      ['parcel_ls', 'depot_ls'],
    ],
    ['several patterns add up', { include: { tools: placed('^cow', '^depot'), tags: [] } }, ['depot_ls', 'cow_think']],
    [
      'a tag of include keeps what has it',
      { include: { tools: [], tags: ['scope:parcel'] } },
      ['parcel_ls', 'parcel_rm'],
    ],
    [
      'patterns and tags of include add up',
      { include: { tools: placed('^cow'), tags: ['scope:parcel'] } },
      ['parcel_ls', 'parcel_rm', 'cow_think'],
    ],
    ['an empty tag means tools without one', { include: { tools: [], tags: [''] } }, ['cow_think']],
    [
      'denied stays denied, whatever include says',
      { include: { tools: placed('wipe', '^cow'), tags: [] } },
      ['cow_think'],
    ],
    ['exclude takes away', { exclude: { tools: placed('_ls$'), tags: [] } }, ['parcel_rm', 'cow_think']],
    ['exclude takes away by tag', { exclude: { tools: [], tags: ['ai:confirm', ''] } }, ['parcel_ls', 'depot_ls']],
    [
      'exclude is stronger than include',
      { include: { tools: placed('^parcel'), tags: [] }, exclude: { tools: placed('rm$'), tags: [] } },
      ['parcel_ls'],
    ],
  ])('%s', (_rule, over, expected) => {
    expect(broughtBy(over).filter((name) => name !== 'list_dir')).toEqual(expected);
  });

  test('include leaves the built-in tools alone, exclude does not', () => {
    expect(names(choose({ include: { tools: placed('^cow'), tags: [] } }))).toEqual([
      'list_dir',
      'read_file',
      'ask_human_confirm',
      'cow_think',
    ]);
    expect(names(choose({ exclude: { tools: placed('^read_file$'), tags: [] } }))).not.toContain('read_file');
  });

  test('a pattern of include that finds only built-in tools would be no restriction, and is a problem at its place', () => {
    const { problems } = choose({ include: { tools: placed('^cow', '^read_file$'), tags: [] } });
    expect(problems).toEqual([
      { message: expect.stringContaining('finds only built-in tools such as read_file'), line: 9, column: 1 },
    ]);
  });

  test('what matches nothing is a warning', () => {
    const { warnings, problems } = choose({
      include: { tools: placed('^cow', '^calf'), tags: [] },
      exclude: { tools: placed('^rm'), tags: ['scope:all'] },
      confirmTags: ['impact:rw'],
    });
    expect(problems).toEqual([]);
    expect(warnings).toEqual([
      expect.stringContaining('include.tools: "^calf" matches no tool'),
      expect.stringContaining('exclude.tools: "^rm" matches no tool'),
      expect.stringContaining('exclude.tags: "scope:all" matches no tool'),
      expect.stringContaining('harness.confirm_tags: no tool of this agent is tagged "impact:rw"'),
    ]);
  });

  test('two tools of one name are a problem, unless one is left out', () => {
    const two = { ...builtIn, brought: [...from('one', action('x')), ...from('two', action('x', ['other']))] };
    expect(toolSet(chooser, two).problems).toEqual([
      { message: 'two tools are named x: one of one, one of two. Leave one of the two out', ...place },
    ]);
    expect(toolSet({ ...chooser, exclude: { tools: [], tags: ['other'] } }, two).problems).toEqual([]);
    const shadow = { ...builtIn, brought: from('app', action('read_file')) };
    expect(toolSet(chooser, shadow).problems[0]?.message).toContain('one of computer, one of app');
    expect(toolSet({ ...chooser, computer: false }, shadow).problems).toEqual([]);
  });
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
