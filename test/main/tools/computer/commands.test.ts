import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { FILE_LIMIT, sha256 } from '../../../../src/main/tools/computer/files';
import { call, contextOf, prepare, quietIo, tempFolder } from './helpers';

let workspace = '';
const at = (name: string) => join(workspace, name);
const script = async (name: string, text: string) => {
  await writeFile(at(name), text);
  await chmod(at(name), 0o755);
};

beforeEach(async () => {
  workspace = await tempFolder();
  await mkdir(at('sub'));
});

describe('run_command', () => {
  it('shows before what it does: argv, program, folder, names of variables, time', async () => {
    const context = contextOf(workspace, {
      environment: { PATH: '/usr/bin:/bin', B: '2', A: '1' },
      toolTimeoutMs: 5_000,
    });
    const prepared = await prepare(context, 'run_command', { argv: ['sh', '-c', 'pwd; echo $A'], cwd: 'sub' });
    expect(prepared.preview).toEqual({
      kind: 'command',
      argv: ['sh', '-c', 'pwd; echo $A'],
      cwd: at('sub'),
      program: expect.stringMatching(/\/bin\/sh$/),
      environment: ['A', 'B', 'PATH'],
      timeoutMs: 5_000,
      shell: false,
    });
    expect(prepared.command).toEqual(['sh', '-c', 'pwd; echo $A']);
    expect(prepared.program).toMatch(/\/bin\/sh$/);
    const { content, isError } = await prepared.execute(quietIo());
    expect(isError).toBe(false);
    expect(JSON.parse(content)).toEqual({
      command: ['sh', '-c', 'pwd; echo $A'],
      exit_code: 0,
      output: `${at('sub')}\n1\n`,
      truncated: false,
    });
  });

  it('takes a non-zero exit for a result', async () => {
    const outcome = await call(contextOf(workspace), 'run_command', { argv: ['sh', '-c', 'echo no; exit 3'] });
    expect(outcome.isError).toBe(false);
    expect(JSON.parse(outcome.content)).toMatchObject({ exit_code: 3, output: 'no\n' });
  });

  it('tells a timeout and a signal in its result', async () => {
    const slow = await call(contextOf(workspace), 'run_command', { argv: ['sleep', '100'], timeoutSec: 0.2 });
    expect(slow.isError).toBe(false);
    expect(JSON.parse(slow.content)).toMatchObject({ exit_code: null, ended: 'timed out after 0.2 s' });
    const killed = await call(contextOf(workspace), 'run_command', { argv: ['sh', '-c', 'kill -9 $$'] });
    expect(JSON.parse(killed.content)).toMatchObject({ exit_code: null, ended: 'ended by signal SIGKILL' });
  });

  it('never works longer than the run allows', async () => {
    const prepared = await prepare(contextOf(workspace, { toolTimeoutMs: 1_000 }), 'run_command', {
      argv: ['true'],
      timeoutSec: 100,
    });
    expect(prepared.preview).toMatchObject({ timeoutMs: 1_000 });
  });

  it('throws when it was stopped', async () => {
    const stop = new AbortController();
    const prepared = await prepare(contextOf(workspace), 'run_command', { argv: ['sh', '-c', 'echo on; sleep 100'] });
    const running = prepared.execute(
      quietIo({ signal: stop.signal, onOutput: () => stop.abort(new Error('stopped')) }),
    );
    await expect(running).rejects.toThrow('stopped');
  });

  it.each<[string, unknown, string]>([
    ['a program that is not there', { argv: ['no-such-program'] }, 'no such program'],
    ['a file that is not executable', { argv: ['./plain'] }, 'not an executable file'],
    ['an empty program', { argv: [''] }, 'is empty'],
    ['no argv', { argv: [] }, 'argv'],
    ['argv that is a string', { argv: 'ls -l' }, 'argv'],
    ['a number in argv', { argv: ['ls', 1] }, 'argv[1]'],
    ['a NUL', { argv: ['echo', 'a\0'] }, 'argv[1] holds a NUL'],
    ['a folder outside', { argv: ['true'], cwd: '..' }, 'outside the workspace'],
    ['a folder that is a file', { argv: ['true'], cwd: 'plain' }, 'no folder'],
    ['a time that is none', { argv: ['true'], timeoutSec: 0 }, 'timeoutSec'],
  ])('refuses before anyone is asked: %s', async (_, input, message) => {
    await writeFile(at('plain'), 'x');
    await expect(prepare(contextOf(workspace), 'run_command', input)).rejects.toThrow(message);
  });

  it('says so where it cannot be started after all', async () => {
    await script('tool', '#!/no/such/interpreter\n');
    const outcome = await call(contextOf(workspace), 'run_command', { argv: ['./tool'] });
    expect(outcome).toMatchObject({ isError: true, content: expect.stringContaining('cannot be started') });
  });
});

describe('what a command is bound to', () => {
  const boundOf = async (argv: string[], cwd?: string) =>
    (await prepare(contextOf(workspace), 'run_command', { argv, ...(cwd === undefined ? {} : { cwd }) })).bound;

  it('is the content of every file of the workspace that it names, its program included', async () => {
    await script('sub/tool', '#!/bin/sh\n');
    await writeFile(at('sub/data'), 'data');
    const tool = sha256(Buffer.from('#!/bin/sh\n'));
    const data = sha256(Buffer.from('data'));
    expect(await boundOf(['./tool', 'data', '--file=data', 'missing', '-x'], 'sub')).toEqual({
      [`file ${at('sub/tool')}`]: tool,
      'file data': data,
    });
    expect(await boundOf(['cat', at('sub/data'), '/etc/hostname', 'sub'])).toEqual({
      [`file ${at('sub/data')}`]: data,
    });
  });

  it('changes when the file does', async () => {
    await script('tool', '#!/bin/sh\necho 1\n');
    const before = await boundOf(['sh', 'tool']);
    expect(await boundOf(['sh', 'tool'])).toEqual(before);
    await script('tool', '#!/bin/sh\necho 2\n');
    expect(await boundOf(['sh', 'tool'])).not.toEqual(before);
  });

  it('changes when a link is bent, and when a file that is too large to hash changes', async () => {
    await symlink('/etc/hostname', at('link'));
    await writeFile(at('large'), Buffer.alloc(FILE_LIMIT + 1));
    const before = await boundOf(['cat', 'link', 'large']);
    expect(Object.keys(before)).toEqual(['file link', 'file large']);
    await call(contextOf(workspace), 'delete', { path: 'link' });
    await symlink('/etc/passwd', at('link'));
    await writeFile(at('large'), Buffer.alloc(FILE_LIMIT + 2));
    const after = await boundOf(['cat', 'link', 'large']);
    expect(after['file link']).not.toBe(before['file link']);
    expect(after['file large']).not.toBe(before['file large']);
  });
});

describe('shell', () => {
  it('says that it is one, and runs sh -c', async () => {
    const prepared = await prepare(contextOf(workspace), 'shell', { command: 'echo a | tr a b >&2' });
    expect(prepared.preview).toMatchObject({ argv: ['sh', '-c', 'echo a | tr a b >&2'], shell: true, cwd: workspace });
    expect(prepared.command).toEqual(['sh', '-c', 'echo a | tr a b >&2']);
    expect(prepared.program).toBeNull();
    expect(JSON.parse((await prepared.execute(quietIo())).content)).toMatchObject({ exit_code: 0, output: 'b\n' });
  });

  it('is bound to the scripts that its line names', async () => {
    await script('build.sh', '#!/bin/sh\n');
    const { bound } = await prepare(contextOf(workspace), 'shell', { command: "sh './build.sh'&&true" });
    expect(bound).toEqual({ 'file ./build.sh': sha256(Buffer.from('#!/bin/sh\n')) });
  });

  it.each([{}, { command: '' }, { command: 'a\0b' }, { command: 'a', args: [] }])('refuses %j', async (input) => {
    await expect(prepare(contextOf(workspace), 'shell', input)).rejects.toThrow();
  });
});
