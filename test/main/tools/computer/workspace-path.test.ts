import { execFileSync } from 'node:child_process';
import { link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openRegular } from '../../../../src/main/tools/computer/files';
import { isInside, resolveInWorkspace } from '../../../../src/main/tools/computer/workspace-path';
import { ToolError } from '../../../../src/main/tools/tool';
import { call, contextOf, prepare, tempFolder } from './helpers';
import { ATTACKS, HARMLESS, ITSELF } from './path-attacks';

let top = '';
let workspace = '';

beforeEach(async () => {
  top = await tempFolder();
  workspace = join(top, 'ws');
  for (const folder of ['ws', 'ws/sub', 'ws-evil', 'outside', 'outside/deep']) await mkdir(join(top, folder));
  await writeFile(join(top, 'ws/file'), 'inside');
  await writeFile(join(top, 'ws/sub/file'), 'inside');
  await writeFile(join(top, 'ws-evil/file'), 'SECRET');
  await writeFile(join(top, 'outside/file'), 'SECRET');
  const links: Record<string, string> = {
    'to-outside': '../outside',
    'to-outside-absolute': join(top, 'outside'),
    'to-outside-file': '../outside/file',
    'to-sibling': '../ws-evil',
    'to-root': '/',
    'to-parent': '..',
    'to-new-outside': '../outside/new',
    'to-chain': 'sub/to-chain-2',
    'sub/to-chain-2': '../to-outside',
    'sub/up': '../..',
    dangling: 'nowhere',
    'dangling-outside': '/nonexistent/sayso/file',
    loop: 'loop',
    'loop-a': 'loop-b',
    'loop-b': 'loop-a',
    'to-proc': '/proc/self',
    'to-environ': '/proc/self/environ',
    'to-device': '/dev/zero',
    good: 'sub',
    'good-file': 'sub/file',
  };
  for (const [name, target] of Object.entries(links)) await symlink(target, join(workspace, name));
  execFileSync('mkfifo', [join(workspace, 'fifo')]);
});

const expand = (path: string): string => path.replace('TOP', top);
describe('a path that leads out of the workspace', () => {
  it.each(ATTACKS)('reads nothing from there: %j', async (path) => {
    const outcome = await call(contextOf(workspace), 'read_file', { path: expand(path) }).catch(
      (error: unknown) => error,
    );
    if (HARMLESS.has(path)) expect(outcome).toMatchObject({ content: 'inside' });
    else expect(outcome).toBeInstanceOf(ToolError);
  });

  it.each(ATTACKS)('writes nothing there: %j', async (path) => {
    const before = await snapshot();
    const input = { path: expand(path), content: 'EVIL' };
    const outcome = await call(contextOf(workspace), 'write_file', input).catch((error: unknown) => error);
    expect(await snapshot()).toEqual(before);
    if (!HARMLESS.has(path)) expect(outcome).toBeInstanceOf(ToolError);
  });

  // Only prepared, but for what is a thing of the workspace itself: a test must not be able to delete the machine.
  it.each(ATTACKS)('deletes and moves nothing there: %j', async (path) => {
    const before = await snapshot();
    const context = contextOf(workspace);
    for (const [tool, input] of [
      ['delete', { path: expand(path), recursive: true }],
      ['move', { from: expand(path), to: 'taken' }],
      ['move', { from: 'sub/file', to: expand(path) }],
    ] as const) {
      const prepared = await prepare(context, tool, input).catch((error: unknown) => error);
      const names = tool === 'move' && input.from === 'sub/file' ? 'a target' : 'a source';
      if (names === 'a target' || !ITSELF.has(path)) expect(prepared).toBeInstanceOf(ToolError);
    }
    if (ITSELF.has(path)) await call(context, 'delete', { path });
    expect(await snapshot()).toEqual(before);
    expect(await readdir(workspace)).toContain('sub');
  });

  it.each(ATTACKS)('starts nothing there: %j', async (path) => {
    const outcome = call(contextOf(workspace), 'run_command', { argv: ['pwd'], cwd: expand(path) });
    await expect(outcome).rejects.toBeInstanceOf(ToolError);
  });

  async function snapshot(): Promise<unknown> {
    const names = await Promise.all(
      ['outside', 'outside/deep', 'ws-evil', '.'].map((name) => readdir(join(top, name))),
    );
    return [
      names,
      await readFile(join(top, 'outside/file'), 'utf8'),
      await readFile(join(top, 'ws-evil/file'), 'utf8'),
    ];
  }
});

describe('a path in the workspace', () => {
  it.each([
    ['file', 'file'],
    ['./file', 'file'],
    ['sub/../file', 'file'],
    ['../ws/file', 'file'],
    ['TOP/ws/file', 'file'],
    ['TOP/outside/../ws/file', 'file'],
    ['good-file', 'sub/file'],
    ['good/file', 'sub/file'],
    ['to-parent/ws/file', 'file'],
    ['new/folder/file', 'new/folder/file'],
    ['good/new', 'sub/new'],
    ['...', '...'],
    ['..file', '..file'],
    ['~', '~'],
    ['a\nb', 'a\nb'],
    ['-rf', '-rf'],
    ['.', '.'],
  ])('is found: %j', async (path, expected) => {
    const found = await resolveInWorkspace(workspace, expand(path), 'follow');
    expect(found.relative).toBe(expected);
    expect(found.absolute).toBe(expected === '.' ? workspace : join(workspace, expected));
  });

  it('is found through another name of the workspace', async () => {
    await symlink('ws', join(top, 'alias'));
    expect((await resolveInWorkspace(workspace, join(top, 'alias/sub/file'), 'follow')).relative).toBe('sub/file');
  });

  it('is a link itself where links are kept', async () => {
    const found = await resolveInWorkspace(workspace, 'to-outside-file', 'keep');
    expect(found.stats?.isSymbolicLink()).toBe(true);
  });

  it.each([
    ['/ws', '/ws', true],
    ['/ws', '/ws/a', true],
    ['/ws', '/ws-evil', false],
    ['/ws', '/w', false],
    ['/ws', '/ws/..a', true],
    ['/ws', '/', false],
    ['/', '/anything', true],
  ])('%s holds %s: %s', (folder, place, expected) => {
    expect(isInside(folder, place)).toBe(expected);
  });
});

describe('opening a file', () => {
  it('refuses what was put in its place since it was resolved', async () => {
    const path = await resolveInWorkspace(workspace, 'sub/file', 'keep');
    const swapped = { ...path, absolute: join(workspace, 'good/file') };
    await expect(openRegular(swapped)).rejects.toThrow('was replaced');
    const linked = { ...path, absolute: join(workspace, 'good-file') };
    await expect(openRegular(linked)).rejects.toThrow(ToolError);
  });

  it('never waits for a pipe that nobody writes to', async () => {
    const path = await resolveInWorkspace(workspace, 'fifo', 'keep');
    await expect(openRegular(path)).rejects.toThrow('not a regular file');
  });

  it('takes a hard link for the file that it is', async () => {
    await link(join(workspace, 'file'), join(workspace, 'hard'));
    expect((await call(contextOf(workspace), 'read_file', { path: 'hard' })).content).toBe('inside');
  });
});
