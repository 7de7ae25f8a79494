import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AgentLibrary } from '../../../src/main/agents/library';
import { folderForEachTest } from './agents-folder';

const folder = folderForEachTest();

async function write(path: string, content: string): Promise<string> {
  const file = join(folder.path, path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, content);
  return file;
}

const inFolder = (name: string) => join(folder.path, name);

test('agents are listed from all places in order: those that ship, the folders, opened files', async () => {
  await write('shipped/demo.agent.yaml', 'name: demo\ndescription: A tour\n');
  await write('own/b.agent.yaml', 'name: b\nguardrails: { approvalMode: auto }\n');
  await write('own/a.agent.yaml', 'name: a\nmodel: m\n');
  await write('own/notes.yaml', 'not an agent');
  await write('extra/c.agent.yaml', 'name: c\n');
  const single = await write('elsewhere/d.yaml', 'name: d\n');
  const library = new AgentLibrary({
    shippedFolder: inFolder('shipped'),
    folders: [inFolder('own'), inFolder('extra')],
    files: [single],
  });
  const agents = await library.list();
  expect(agents.map(({ name, path }) => [name, path])).toEqual([
    ['demo', null],
    ['a', inFolder('own/a.agent.yaml')],
    ['b', inFolder('own/b.agent.yaml')],
    ['c', inFolder('extra/c.agent.yaml')],
    ['d', single],
  ]);
  expect(agents[0]).toEqual({
    id: 'shipped:demo',
    path: null,
    name: 'demo',
    description: 'A tour',
    provider: 'anthropic',
    model: null,
    workspace: null,
    mode: 'ask',
    problems: [],
  });
  expect(agents[1]).toMatchObject({ model: 'm' });
  expect(agents[2]).toMatchObject({ mode: 'auto' });
  expect(await library.notices()).toEqual([]);
});

test('a broken agent is listed with what is wrong', async () => {
  await write('own/a.agent.yaml', 'name: a\nfoo: 1\n');
  const library = new AgentLibrary({ shippedFolder: null, folders: [inFolder('own')] });
  const [agent] = await library.list();
  expect(agent).toMatchObject({
    name: 'a',
    provider: null,
    mode: null,
    problems: [{ message: 'unknown key "foo"', line: 2, column: 1 }],
  });
  expect(await library.get(agent?.id ?? '')).toMatchObject({ ok: false });
});

test('of two agents with one name the earlier stays', async () => {
  await write('shipped/demo.agent.yaml', 'name: demo\n');
  const first = await write('own/a.agent.yaml', 'name: same\n');
  const second = await write('own/b.agent.yaml', 'name: same\n');
  const third = await write('own/c.agent.yaml', 'name: demo\n');
  const library = new AgentLibrary({ shippedFolder: inFolder('shipped'), folders: [inFolder('own')] });
  const [, a, b, c] = await library.list();
  expect(a?.problems).toEqual([]);
  expect(b?.problems).toEqual([
    { message: `another agent is named "same" already (${first}): choose another name`, line: null, column: null },
  ]);
  expect(c?.problems[0]?.message).toContain('(it ships with Sayso)');
  expect(await library.get(first)).toMatchObject({ ok: true });
  expect(await library.get(second)).toMatchObject({ ok: false });
  expect(await library.get(third)).toMatchObject({ ok: false });
});

test('a folder that is not there is told, unless it may be missing, and nothing else suffers', async () => {
  await write('own/a.agent.yaml', 'name: a\n');
  const library = new AgentLibrary({
    shippedFolder: null,
    folders: [{ path: inFolder('later'), mayBeMissing: true }, inFolder('gone'), inFolder('own')],
  });
  expect((await library.list()).map(({ name }) => name)).toEqual(['a']);
  expect(await library.notices()).toEqual([`The agents folder ${inFolder('gone')} is not there.`]);
});

test('a file in place of a folder is told', async () => {
  const file = await write('own', 'x');
  const library = new AgentLibrary({ shippedFolder: null, folders: [file] });
  expect(await library.list()).toEqual([]);
  expect(await library.notices()).toEqual([`The agents folder ${file} cannot be read (ENOTDIR).`]);
});

test('an opened file is added once, stays when it goes, and is remembered', async () => {
  const path = await write('elsewhere/d.agent.yaml', 'name: d\n');
  const library = new AgentLibrary({ shippedFolder: null, folders: [] });
  expect(await library.open(path)).toMatchObject({ id: path, name: 'd', problems: [] });
  expect(await library.open(path)).toMatchObject({ name: 'd' });
  expect(library.files).toEqual([path]);
  await rm(path);
  expect(await library.list()).toMatchObject([{ name: 'd', problems: [{ message: 'the file is not there' }] }]);
});

test('opening a file that is listed already adds nothing', async () => {
  const path = await write('own/a.agent.yaml', 'name: a\n');
  const library = new AgentLibrary({ shippedFolder: null, folders: [inFolder('own')] });
  expect(await library.open(path)).toMatchObject({ id: path });
  expect(library.files).toEqual([]);
});

test('an edited file counts at once', async () => {
  const path = await write('own/a.agent.yaml', 'name: a\n');
  const library = new AgentLibrary({ shippedFolder: null, folders: [inFolder('own')] });
  await library.list();
  await writeFile(path, 'name: b\n');
  expect(await library.get(path)).toMatchObject({ agent: { name: 'b' } });
});

test('an agent that ships is found by its name, and one that is missing is an error', async () => {
  await write('shipped/demo.agent.yaml', 'name: demo\n');
  const library = new AgentLibrary({ shippedFolder: inFolder('shipped'), folders: [] });
  expect(await library.shippedId('demo')).toBe('shipped:demo');
  await expect(library.shippedId('other')).rejects.toThrow('the agent "other" is missing from this installation');
  expect(await library.get('shipped:other')).toBeNull();
});
