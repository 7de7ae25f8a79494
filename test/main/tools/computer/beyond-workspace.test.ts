import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { confine, DEFAULT_POLICY, type SandboxPolicy } from '../../../../src/main/sandbox/policy';
import { createProcessTier } from '../../../../src/main/sandbox/process-tier';
import type { ToolContext } from '../../../../src/main/tools/tool';
import { call, contextOf, prepare, tempFolder } from './helpers';

let top = '';
const at = (path: string): string => join(top, path);
const demand = { require: 'none', network: false, accept: [] } as const;

function context(policy: Partial<SandboxPolicy> = {}, hidden: readonly string[] = []): ToolContext {
  const opened = { ...DEFAULT_POLICY, read: [at('reference')], write: [at('docs')], ...policy };
  return contextOf(at('ws'), { sandbox: { ...confine(createProcessTier('x'), opened, demand), hidden } });
}
const run = async (tool: string, input: unknown, given = context()) => (await call(given, tool, input)).content;

beforeEach(async () => {
  top = await tempFolder();
  for (const folder of ['ws', 'docs/deep', 'reference', 'outside']) await mkdir(at(folder), { recursive: true });
  for (const file of ['ws/file', 'docs/file', 'docs/deep/file', 'reference/file', 'outside/file']) {
    await writeFile(at(file), `a needle in ${file}\n`);
  }
});

describe('what the agent file opens beyond the workspace', () => {
  it('is read, listed and searched under its absolute path', async () => {
    for (const folder of ['reference', 'docs']) {
      expect(await run('read_file', { path: at(`${folder}/file`) })).toBe(`a needle in ${folder}/file\n`);
      expect(await run('list_dir', { path: at(folder) })).toContain('file');
      expect(await run('search_files', { pattern: 'needle', path: at(folder) })).toContain(
        `${at(`${folder}/file`)}:1: a needle`,
      );
    }
  });

  it('is shown to the operator under its absolute path, with what would change', async () => {
    const written = await prepare(context(), 'write_file', { path: at('docs/new/file'), content: 'x\n' });
    expect(written.preview).toMatchObject({
      kind: 'file',
      path: at('docs/new/file'),
      created: true,
      diff: '@@ -0,0 +1,1 @@\n+x',
    });
    expect(written.command).toEqual(['write_file', at('docs/new/file')]);
    const edited = await prepare(context(), 'edit_file', {
      path: at('docs/file'),
      oldString: 'a',
      newString: 'b',
      replaceAll: true,
    });
    expect(edited.command).toEqual(['edit_file', at('docs/file')]);
    const moved = await prepare(context(), 'move', { from: 'file', to: at('docs/deep/moved') });
    expect(moved.preview).toMatchObject({ from: 'file', to: at('docs/deep/moved') });
    const deleted = await prepare(context(), 'delete', { path: at('docs/deep'), recursive: true });
    expect(deleted.preview).toMatchObject({ path: at('docs/deep'), folder: true, files: 1 });
  });

  it('is written where it stands under sandbox.write', async () => {
    expect(await run('write_file', { path: at('docs/new/file'), content: 'x' })).toBe(
      `Created ${at('docs/new/file')}: 1 bytes.`,
    );
    await run('move', { from: at('docs/new/file'), to: 'taken' });
    await run('move', { from: 'taken', to: at('docs/back') });
    await run('delete', { path: at('docs/deep'), recursive: true });
    expect((await readdir(at('docs'))).sort()).toEqual(['back', 'file', 'new']);
  });

  it.each([
    ['write_file', { path: 'REF/new', content: '' }],
    ['edit_file', { path: 'REF/file', oldString: 'a', newString: 'b' }],
    ['delete', { path: 'REF/file' }],
    ['move', { from: 'REF/file', to: 'x' }],
    ['move', { from: 'file', to: 'REF/new' }],
  ])('is only read where it stands under sandbox.read, and %s says what would allow more', async (tool, input) => {
    const given = JSON.parse(JSON.stringify(input).replace('REF', at('reference')));
    await expect(run(tool, given)).rejects.toThrow(
      `can only be read: the agent file names ${at('reference')} under sandbox.read. What is to be written has to stand under sandbox.write.`,
    );
  });

  it('is told where something else is asked for, with the keys that would open it', async () => {
    await expect(run('read_file', { path: at('outside/file') })).rejects.toThrow(
      `${at('outside/file')} lies outside the workspace ${at('ws')}. Beyond it only what the agent file names under sandbox.read can be read, and under sandbox.write be written (sandbox.read: ${at('reference')}; sandbox.write: ${at('docs')}).`,
    );
    const none = context({ read: [], write: [] });
    await expect(run('read_file', { path: at('reference/file') }, none)).rejects.toThrow('it names nothing');
    const many = context({ read: Array.from({ length: 30 }, (_, index) => at(`r${index}`)) });
    for (let index = 0; index < 30; index += 1) await mkdir(at(`r${index}`));
    await expect(run('read_file', { path: '/etc/passwd' }, many)).rejects.toThrow('r9 and 20 more; sandbox.write');
  });

  it('has to be given absolutely, not through links or dots of the workspace', async () => {
    await symlink(at('docs'), at('ws/link'));
    for (const path of ['../docs/file', 'link/file', at('ws/link/file')]) {
      await expect(run('read_file', { path })).rejects.toThrow(`at ${at('docs/file')}. Give that path to reach it.`);
    }
  });

  it('is told by computer_info', async () => {
    expect(JSON.parse(await run('computer_info', {}))).toMatchObject({
      canBeReadBeyondIt: [at('reference')],
      canBeWrittenBeyondIt: [at('docs')],
    });
  });

  it('binds a decision about a command to the files in it that a run could have written', async () => {
    const bound = async () =>
      (await prepare(context(), 'run_command', { argv: ['cat', at('docs/file'), at('reference/file')] })).bound;
    const before = await bound();
    expect(Object.keys(before)).toEqual([`file ${at('docs/file')}`]);
    await writeFile(at('docs/file'), 'another');
    expect(await bound()).not.toEqual(before);
  });

  it('is no place to start a command in', async () => {
    await expect(run('run_command', { argv: ['pwd'], cwd: at('docs') })).rejects.toThrow('Commands are started in it');
  });
});

describe('the data of the app', () => {
  it('is not reached, though the agent file opens what it lies in', async () => {
    await mkdir(at('docs/data'));
    await writeFile(at('docs/data/secret'), 'a needle\n');
    const given = context({}, [at('docs/data')]);
    await expect(run('read_file', { path: at('docs/data/secret') }, given)).rejects.toThrow('data of Sayso itself');
    await expect(run('write_file', { path: at('docs/data/new'), content: '' }, given)).rejects.toThrow('data of Sayso');
    await expect(run('delete', { path: at('docs/data'), recursive: true }, given)).rejects.toThrow('data of Sayso');
    expect(await run('list_dir', { path: at('docs'), recursive: true }, given)).not.toContain('secret');
    expect(await run('search_files', { pattern: 'needle', path: at('docs') }, given)).not.toContain('secret');
    const { bound } = await prepare(given, 'run_command', { argv: ['cat', at('docs/data/secret')] });
    expect(bound).toEqual({});
  });
});

describe('a protected path', () => {
  it('is refused in words that say which, and that the person can do it', async () => {
    const given = context({ protect: ['deploy'] });
    await expect(run('write_file', { path: '.env', content: '' }, given)).rejects.toThrow(
      '.env is protected: neither commands nor tools write, move or delete it, and no key of the agent file opens it. Leave it to the person, who can change it by hand.',
    );
    await expect(run('write_file', { path: 'deploy/key', content: '' }, given)).rejects.toThrow(
      'deploy/key cannot be changed because of deploy, which is protected: neither commands nor tools write, move or delete it, and the agent file names it under sandbox.protect.',
    );
    const kept = context({ read: [at('docs/deep')] });
    await expect(run('delete', { path: at('docs/deep/file') }, kept)).rejects.toThrow('names it under sandbox.read');
    await mkdir(at('ws/.git/hooks'), { recursive: true });
    await expect(run('move', { from: '.git', to: 'x' }, given)).rejects.toThrow(
      '.git cannot be changed because of .git/hooks, which is protected',
    );
  });

  it('can be read', async () => {
    await writeFile(at('ws/.env'), 'A=1\n');
    expect(await run('read_file', { path: '.env' })).toBe('A=1\n');
    expect(await run('search_files', { pattern: 'A=', glob: '.env' })).toContain('.env:1: A=1');
  });

  it.runIf(process.getuid?.() === 0)('is one by another spelling too, where the disk takes both for one', async () => {
    // A mount stands in for a file system that ignores case: two names, one folder.
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'sayso-case-')));
    for (const name of ['.git/hooks', '.GIT', '.git/HOOKS', 'Deploy', 'deploy'])
      await mkdir(join(folder, name), { recursive: true });
    await chmod(folder, 0o755);
    const same = [
      ['.git', '.GIT'],
      ['deploy', 'Deploy'],
    ].map(([name = '', other = '']) => [join(folder, name), join(folder, other)]);
    for (const [name = '', other = ''] of same) execFileSync('mount', ['--bind', name, other]);
    try {
      const sandbox = confine(createProcessTier('x'), { ...DEFAULT_POLICY, protect: ['deploy/key'] }, demand);
      const given = contextOf(folder, { sandbox });
      await expect(run('write_file', { path: '.GIT/hooks/x', content: '' }, given)).rejects.toThrow('is protected');
      await expect(run('write_file', { path: '.GIT/config', content: '' }, given)).rejects.toThrow('is protected');
      await expect(run('write_file', { path: 'Deploy/key', content: '' }, given)).rejects.toThrow('is protected');
      await expect(run('delete', { path: '.GIT', recursive: true }, given)).rejects.toThrow('is protected');
      // These are folders of their own here.
      expect(await run('write_file', { path: '.git/HOOKS/x', content: '' }, given)).toContain('Created');
      expect(await readFile(join(folder, '.git/HOOKS/x'), 'utf8')).toBe('');
    } finally {
      for (const [, other = ''] of same) execFileSync('umount', [other]);
      await rm(folder, { recursive: true, force: true });
    }
  });
});
