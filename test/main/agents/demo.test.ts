import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, test, vi } from 'vitest';
import type { AgentDefinition } from '../../../src/main/agents/definition';
import { createDemoRepository } from '../../../src/main/agents/demo-repository';
import { AgentLibrary } from '../../../src/main/agents/library';
import { createModel } from '../../../src/main/models/create-model';
import type { ConversationMessage, ModelReply } from '../../../src/main/models/model';
import { ScriptedModel } from '../../../src/main/models/scripted';
import { folderForEachTest } from './agents-folder';

const folder = folderForEachTest();
const library = new AgentLibrary({ shippedFolder: join(__dirname, '../../../agents'), folders: [] });

async function shipped(name: string): Promise<AgentDefinition> {
  const load = await library.get(`shipped:${name}`);
  if (load?.ok !== true) throw new Error(`the shipped agent ${name} does not load: ${JSON.stringify(load)}`);
  return load.agent;
}

const git = async (repository: string, ...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)('git', [...args], { cwd: repository })).stdout;

test('every agent that ships loads without a problem', async () => {
  const agents = await library.list();
  expect(agents.map(({ name, problems }) => [name, problems])).toEqual([
    ['demo', []],
    ['general', []],
    ['git', []],
  ]);
  const general = await shipped('general');
  expect(general).toMatchObject({ provider: 'anthropic', humanInTheLoop: true, approvalMode: 'ask', computer: true });
  expect(createModel(general, { apiKey: null, baseUrl: null, defaultModel: 'd' }).name).toBe('d');
});

test('the repository of the demo is real, clean, and the same every time', async () => {
  const one = await createDemoRepository(folder.path);
  const other = await createDemoRepository(folder.path);
  expect(one).not.toBe(other);
  const log = await git(one, 'log', '--format=%H %an %s');
  expect(log.trim().split('\n')).toHaveLength(5);
  expect(await git(other, 'log', '--format=%H %an %s')).toBe(log);
  expect(await git(one, 'status', '--porcelain')).toBe('');
  expect((await git(one, 'branch', '--show-current')).trim()).toBe('main');
  expect(await readFile(join(one, 'CHANGELOG.md'), 'utf8')).toMatch(/^# Changelog\n\n## 0\.2\.0\n/);
});

test("the operator's own git does not reach into the demo's repository", async () => {
  vi.stubEnv('GIT_DIR', join(folder.path, 'elsewhere'));
  vi.stubEnv('GIT_AUTHOR_NAME', 'Somebody Else');
  const repository = await createDemoRepository(folder.path);
  vi.unstubAllEnvs();
  expect((await git(repository, 'log', '-1', '--format=%an')).trim()).toBe('Robin Demo');
});

test('without git the demo says what to do', async () => {
  vi.stubEnv('PATH', folder.path);
  const made = createDemoRepository(folder.path);
  await expect(made).rejects.toThrow('install git and start the demo again');
  vi.unstubAllEnvs();
});

type Answer = (tool: string, input: Record<string, unknown>) => { content: string; isError?: boolean } | undefined;

/** Plays the demo's script to its end; calls that `answer` leaves to it give an empty result. */
async function play(answer: Answer): Promise<{ readonly tools: string[]; readonly last: string }> {
  const { script } = await shipped('demo');
  if (script === null) throw new Error('the demo has no script');
  const model = new ScriptedModel({ script, paceMs: 0 });
  const messages: ConversationMessage[] = [{ role: 'user', text: 'Bring the changelog up to date.' }];
  const tools: string[] = [];
  for (;;) {
    const request = { system: '', messages, tools: [], maxOutputTokens: 1, thinking: false, timeoutMs: 1_000 };
    const reply: ModelReply = await model.reply(request, () => undefined, new AbortController().signal);
    messages.push({ role: 'assistant', blocks: reply.blocks });
    const calls = reply.blocks.filter((block) => block.type === 'tool_use');
    if (calls.length === 0) return { tools, last: JSON.stringify(reply.blocks) };
    const results = calls.map(({ id, name, inputText }) => {
      tools.push(name);
      const { content = '', isError = false } = answer(name, JSON.parse(inputText)) ?? {};
      return { callId: id, content, isError };
    });
    messages.push({ role: 'results', results });
  }
}

const READING = ['list_dir', 'read_file', 'read_file', 'read_file', 'edit_file'];
const denial = (outcome: string, reason: string) => ({ content: JSON.stringify({ allowed: false, outcome, reason }) });

let repository = '';
beforeEach(async () => {
  repository = await createDemoRepository(folder.path);
});

test('approved all the way, the demo edits, checks, asks and commits', async () => {
  const edits: Record<string, unknown>[] = [];
  const { tools, last } = await play((tool, input) => {
    if (tool === 'edit_file') edits.push(input);
    return tool === 'ask_human_confirm' ? { content: '{"confirmed": true}' } : undefined;
  });
  expect(tools).toEqual([...READING, 'run_command', 'ask_human_confirm', 'run_command']);
  expect(last).toContain('the change is committed');

  const [edit] = edits;
  const path = join(repository, String(edit?.path));
  const before = await readFile(path, 'utf8');
  expect(before.split(String(edit?.oldString))).toHaveLength(2);
  await writeFile(path, before.replace(String(edit?.oldString), String(edit?.newString)));
  expect(await readFile(path, 'utf8')).toMatch(/^# Changelog\n\n## 0\.3\.0\n\n- White tea[\s\S]+\n\n## 0\.2\.0\n/);
});

test('declined, the demo repeats what it was told and ends', async () => {
  const reason = 'Denied: the operator declined edit_file. This decision is final.';
  const { tools, last } = await play((tool) => (tool === 'edit_file' ? denial('declined', reason) : undefined));
  expect(tools).toEqual(READING);
  expect(last).toContain(reason);
  expect(last).toContain('Nothing was changed');
});

test.each(['expired', 'readonly', 'no-operator'])(
  'not allowed (%s), the demo ends without a change',
  async (outcome) => {
    const { tools, last } = await play((tool) => (tool === 'edit_file' ? denial(outcome, 'Because.') : undefined));
    expect(tools).toEqual(READING);
    expect(last).toContain('Because.');
  },
);

test('a check that is declined ends the demo with the edit in place', async () => {
  const { tools, last } = await play((tool) => (tool === 'run_command' ? denial('declined', 'No.') : undefined));
  expect(tools).toEqual([...READING, 'run_command']);
  expect(last).toContain('I do not check it');
});

test('a commit that is not wanted is not made', async () => {
  const { tools } = await play((tool) =>
    tool === 'ask_human_confirm' ? { content: '{"confirmed":false}' } : undefined,
  );
  expect(tools).toEqual([...READING, 'run_command', 'ask_human_confirm']);
});

test('in another folder than its own the demo stops', async () => {
  const { tools, last } = await play((tool) =>
    tool === 'read_file' ? { content: 'no such file', isError: true } : undefined,
  );
  expect(tools).toEqual(READING.slice(0, 4));
  expect(last).toContain('not the sample project');
});
