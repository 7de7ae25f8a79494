import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { loadAgent } from '../../../src/main/agents/load';
import { folderForEachTest } from './agents-folder';

const folder = folderForEachTest();
const SCRIPT = 'turns:\n  - say: Hi.\n';

test('an agent comes resolved, with every limit in milliseconds', async () => {
  const path = await folder.write('a.agent.yaml', 'name: a\nworkspace: ./src\nlimits: { toolTimeout: 2m }\n');
  expect(await loadAgent(path)).toMatchObject({
    ok: true,
    agent: {
      id: path,
      path,
      name: 'a',
      description: '',
      provider: 'anthropic',
      model: null,
      thinking: false,
      prompt: '',
      script: null,
      workspace: join(folder.path, 'src'),
      computer: true,
      http: false,
      privateHosts: [],
      humanInTheLoop: false,
      confirmTags: [],
      approvalMode: 'ask',
      approvalTimeoutMs: 120_000,
      limits: {
        maxTurns: 50,
        maxTokens: 500_000,
        maxCostUsd: null,
        callTimeoutMs: 120_000,
        toolTimeoutMs: 120_000,
        maxOutputTokens: 8_192,
      },
      environment: { pass: [], set: {} },
      applications: [],
      include: { tools: [], tags: [] },
      exclude: { tools: [], tags: [] },
      globalFlags: [],
      files: [],
      notes: [],
    },
  });
});

test('applications come resolved: a bare name stays one, a path and a manifest are those of the file', async () => {
  const manifest = await folder.write(
    'git.tools.yaml',
    'name: git\nprogram: ./bin/git\ncommands: [{ name: status }]\n',
  );
  const path = await folder.write(
    'a.agent.yaml',
    'name: a\napplications:\n  - path: depot\n  - path: ./bin/depot\n  - manifest: git.tools.yaml\n',
  );
  expect(await loadAgent(path)).toMatchObject({
    agent: {
      applications: [
        { kind: 'fisk', program: 'depot', place: { line: 3, column: 11 } },
        { kind: 'fisk', program: join(folder.path, 'bin/depot') },
        { kind: 'manifest', program: join(folder.path, 'bin/git'), manifest: { name: 'git' } },
      ],
      files: [manifest],
    },
  });
});

test.each([
  ['commands: []\nname: x\n', 'm.tools.yaml, line 1, column 1: "program" is missing'],
  ['name: x\nprogram: x\n', 'm.tools.yaml, line 1, column 1: it has no commands: there would be no tool'],
  [
    'name: x\nprogram: x\ncommands:\n  - name: a\n    flag: []\n',
    'm.tools.yaml, line 5, column 5: unknown key "commands[0].flag": did you mean "flags"?',
  ],
  [
    'name: x\nprogram: x\ncommands:\n  - name: a\n    args: [{ name: b, pattern: "(a*)*" }]\n',
    'm.tools.yaml, line 5, column 32: commands[0].args[0].pattern: "(a*)*": repeats something',
  ],
  ['name: x\nprogram: x\ncommands:\n\t- a\n', 'm.tools.yaml, line 4, column 1: tabs cannot indent in YAML'],
  [
    'name: x\nprogram: x\ncommands:\n  - { name: a, end_of_options: "-" }\n',
    'm.tools.yaml, line 4, column 32: commands[0].end_of_options: expected one of --, --end-of-options, but this is "-"',
  ],
])('what is wrong in a manifest is told with its place there: %j', async (text, message) => {
  await folder.write('m.tools.yaml', text);
  const path = await folder.write('a.agent.yaml', 'name: a\napplications:\n  - manifest: ./m.tools.yaml\n');
  const load = await loadAgent(path);
  expect(load).toMatchObject({
    ok: false,
    problems: [{ message: expect.stringContaining(message), line: 3, column: 15 }],
  });
});

test.each([
  ['~/src/app', 'src/app'],
  ['~', ''],
])('a workspace %s lies in the home folder', async (workspace, expected) => {
  const path = await folder.write('a.agent.yaml', `name: a\nworkspace: "${workspace}"\n`);
  expect(await loadAgent(path, { home: folder.path })).toMatchObject({
    agent: { workspace: join(folder.path, expected) },
  });
});

test('an agent that ships has an id of its own and no path', async () => {
  const path = await folder.write('a.agent.yaml', 'name: a\n');
  expect(await loadAgent(path, { shippedId: 'shipped:a' })).toMatchObject({ agent: { id: 'shipped:a', path: null } });
});

test('a script is read beside the agent file', async () => {
  await folder.write('a.script.yaml', SCRIPT);
  const path = await folder.write('a.agent.yaml', 'name: a\nprovider: scripted\nscript: ./a.script.yaml\n');
  expect(await loadAgent(path)).toMatchObject({ agent: { script: { pace: 0, turns: [{ say: 'Hi.' }] } } });
});

test('what is wrong in a script is told with its place there, at the place of the script in the agent file', async () => {
  await folder.write('a.script.yaml', 'turns:\n  - sya: Hi.\n');
  const path = await folder.write('a.agent.yaml', 'name: a\nprovider: scripted\nscript: ./a.script.yaml\n');
  expect(await loadAgent(path)).toEqual({
    ok: false,
    name: 'a',
    files: [join(folder.path, 'a.script.yaml')],
    problems: [
      {
        message: 'a.script.yaml, line 2, column 5: unknown key "turns[0].sya": did you mean "say"?',
        line: 3,
        column: 9,
      },
    ],
  });
});

test('a section that a script leads to has to be there', async () => {
  await folder.write('a.script.yaml', 'turns:\n  - branch: [{ when: {}, to: nowhere }]\n    next: gone\n');
  const path = await folder.write('a.agent.yaml', 'name: a\nprovider: scripted\nscript: a.script.yaml\n');
  expect(await loadAgent(path)).toMatchObject({
    problems: [
      { message: 'a.script.yaml, line 2, column 30: turns[0].branch[0].to: there is no section "nowhere"' },
      { message: 'a.script.yaml, line 3, column 11: turns[0].next: there is no section "gone"' },
    ],
  });
});

test('a script that is missing is a problem of the agent', async () => {
  const path = await folder.write('a.agent.yaml', 'name: a\nprovider: scripted\nscript: none.yaml\n');
  expect(await loadAgent(path)).toMatchObject({
    problems: [{ message: 'none.yaml: the file is not there', line: 3, column: 9 }],
  });
});

test('a broken agent is called as it calls itself, else as its file', async () => {
  const named = await folder.write('x.agent.yaml', 'name: self\nfoo: 1\n');
  const nameless = await folder.write('y.agent.yaml', 'foo: 1\n');
  const noYaml = await folder.write('z.agent.yaml', '"\n');
  expect(await loadAgent(named)).toMatchObject({ ok: false, name: 'self' });
  expect(await loadAgent(nameless)).toMatchObject({ ok: false, name: 'y' });
  expect(await loadAgent(noYaml)).toMatchObject({ ok: false, name: 'z' });
});

const unreadable = (message: string | RegExp) => ({
  ok: false,
  problems: [
    { message: typeof message === 'string' ? message : expect.stringMatching(message), line: null, column: null },
  ],
});

test('a file that is not there is told', async () => {
  expect(await loadAgent(join(folder.path, 'none.agent.yaml'))).toMatchObject(unreadable('the file is not there'));
});

test('a symbolic link is refused, wherever it leads', async () => {
  const target = await folder.write('a.agent.yaml', 'name: a\n');
  const link = join(folder.path, 'b.agent.yaml');
  await symlink(target, link);
  expect(await loadAgent(link)).toMatchObject(unreadable('this is a symbolic link: put the file itself here'));
});

test('a folder and a pipe are refused at once', async () => {
  const directory = join(folder.path, 'd.agent.yaml');
  await mkdir(directory);
  expect(await loadAgent(directory)).toMatchObject(unreadable('this is not a regular file'));
  if (process.platform === 'win32') return;
  const pipe = join(folder.path, 'p.agent.yaml');
  await promisify(execFile)('mkfifo', [pipe]);
  expect(await loadAgent(pipe)).toMatchObject(unreadable('this is not a regular file'));
});

test('a huge file is refused', async () => {
  const path = await folder.write('a.agent.yaml', `name: a\n#${'x'.repeat(1024 * 1024)}\n`);
  expect(await loadAgent(path)).toMatchObject(unreadable(/^the file is too large: 1048586 bytes, at most 1048576/));
});

test('a file that is not UTF-8 is refused, and a byte order mark is not', async () => {
  const latin = await folder.write('a.agent.yaml', Buffer.from('name: a\ndescription: caf\xe9\n', 'latin1'));
  expect(await loadAgent(latin)).toMatchObject(unreadable('the file is not UTF-8 text: save it as UTF-8'));
  const marked = await folder.write('b.agent.yaml', '\ufeffname: b\n');
  expect(await loadAgent(marked)).toMatchObject({ agent: { name: 'b' } });
});

test('a list of hosts is resolved with the hosts that may be private, and one that could never be reached is a problem', async () => {
  const text =
    'name: a\nprivate_hosts: [localhost:3000]\nsandbox: { network: [localhost:3000, "*.example.com", 10.0.0.1] }\n';
  const path = await folder.write('a.agent.yaml', text);
  expect(await loadAgent(path)).toEqual({
    ok: false,
    name: 'a',
    problems: [
      {
        message:
          'sandbox.network[2]: 10.0.0.1 is a private address. It cannot be reached unless the agent file lists 10.0.0.1 under private_hosts.',
        line: 3,
        column: 55,
      },
    ],
  });
  await folder.write('a.agent.yaml', text.replace(', 10.0.0.1', ''));
  expect(await loadAgent(path)).toMatchObject({
    ok: true,
    agent: {
      sandbox: {
        network: false,
        policy: {
          network: {
            hosts: [
              { host: 'localhost', port: 3000 },
              { host: '*.example.com', port: null },
            ],
            privateHosts: [{ host: 'localhost', port: 3000 }],
          },
        },
      },
    },
  });
});
