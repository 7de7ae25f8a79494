import { execFileSync } from 'node:child_process';
import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { fileRules } from '../../../../src/main/tools/computer/file-rules';
import { readRegular } from '../../../../src/main/tools/computer/files';
import { resolvePath } from '../../../../src/main/tools/computer/resolve-path';
import { ToolError } from '../../../../src/main/tools/tool';
import { call, contextOf, tempFolder } from './helpers';

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

const find = async (path: string, last: 'follow' | 'keep') =>
  resolvePath(await fileRules(contextOf(workspace)), path, 'read', last);
const expand = (path: string): string => path.replace('TOP', top);

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
    const found = await find(expand(path), 'follow');
    expect(found.shown).toBe(expected);
    expect(found.absolute).toBe(expected === '.' ? workspace : join(workspace, expected));
  });

  it('is found through another name of the workspace', async () => {
    await symlink('ws', join(top, 'alias'));
    expect((await find(join(top, 'alias/sub/file'), 'follow')).shown).toBe('sub/file');
  });

  it('is a link itself where links are kept', async () => {
    const found = await find('to-outside-file', 'keep');
    expect(found.stats?.isSymbolicLink()).toBe(true);
  });
});

describe('opening a file', () => {
  it('refuses what was put in its place since it was resolved', async () => {
    const path = await find('sub/file', 'keep');
    const swapped = { ...path, absolute: join(workspace, 'good/file') };
    await expect(readRegular(swapped)).rejects.toThrow('was replaced, or moved');
    const linked = { ...path, absolute: join(workspace, 'good-file') };
    await expect(readRegular(linked)).rejects.toThrow(ToolError);
  });

  it('never waits for a pipe that nobody writes to', async () => {
    const path = await find('fifo', 'keep');
    await expect(readRegular(path)).rejects.toThrow('not a regular file');
  });

  it('takes a hard link for the file that it is', async () => {
    await link(join(workspace, 'file'), join(workspace, 'hard'));
    expect((await call(contextOf(workspace), 'read_file', { path: 'hard' })).content).toBe('inside');
  });
});
