import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ToolError } from '../../../../src/main/tools/tool';
import { call, contextOf, prepare, quietIo, tempFolder } from './helpers';

let workspace = '';
const at = (name: string) => join(workspace, name);
const text = (name: string) => readFile(at(name), 'utf8');
const run = (tool: string, input: unknown) => call(contextOf(workspace), tool, input);
const look = (tool: string, input: unknown) => prepare(contextOf(workspace), tool, input);

beforeEach(async () => {
  workspace = await tempFolder();
});

describe('move', () => {
  beforeEach(async () => {
    await mkdir(at('folder/deep'), { recursive: true });
    await writeFile(at('folder/a'), '12345');
    await writeFile(at('folder/deep/b'), '12');
    await writeFile(at('file'), '1');
  });

  it('moves a folder with all that is in it, and says before how much that is', async () => {
    const prepared = await look('move', { from: 'folder', to: 'renamed' });
    expect(prepared.preview).toEqual({ kind: 'move', from: 'folder', to: 'renamed', files: 2, bytes: 7 });
    expect(prepared.command).toEqual(['move', 'folder', 'renamed']);
    await prepared.execute(quietIo());
    expect(await text('renamed/deep/b')).toBe('12');
  });

  it.each([
    ['the workspace', '.', 'folder/x', 'never moved'],
    ['onto what exists', 'file', 'folder/a', 'exists already'],
    ['onto an empty folder', 'folder/deep', 'folder', 'exists already'],
    ['onto itself', 'file', 'file', 'itself'],
    ['a folder into itself', 'folder', 'folder/deep/x', 'in it'],
    ['what is not there', 'nothing', 'x', 'no such file'],
    ['into a folder that is not there', 'file', 'nowhere/x', 'parent folder does not exist'],
  ])('refuses %s', async (_, from, to, message) => {
    await expect(look('move', { from, to })).rejects.toThrow(message);
  });

  it('refuses when the target appeared since it was shown', async () => {
    const prepared = await look('move', { from: 'file', to: 'taken' });
    await writeFile(at('taken'), 'meanwhile');
    expect(await prepared.execute(quietIo())).toMatchObject({ isError: true });
    expect(await text('taken')).toBe('meanwhile');
  });

  it('moves a link as a link', async () => {
    await symlink('/etc', at('link'));
    await run('move', { from: 'link', to: 'moved' });
    expect(await readdir(workspace)).toEqual(expect.arrayContaining(['moved', 'folder', 'file']));
  });
});

describe('delete', () => {
  beforeEach(async () => {
    await mkdir(at('folder/deep'), { recursive: true });
    await writeFile(at('folder/a'), '12345');
    await writeFile(at('folder/deep/b'), '12');
  });

  it('deletes a folder only with recursive, and says before how much that is', async () => {
    await expect(look('delete', { path: 'folder' })).rejects.toThrow('needs recursive');
    const prepared = await look('delete', { path: 'folder', recursive: true });
    expect(prepared.preview).toEqual({ kind: 'delete', path: 'folder', folder: true, files: 2, bytes: 7 });
    await prepared.execute(quietIo());
    expect(await readdir(workspace)).toEqual([]);
  });

  it('deletes links as links, wherever they stand', async () => {
    const outside = await tempFolder();
    await writeFile(join(outside, 'keep'), 'x');
    await symlink(outside, at('folder/link'));
    await symlink(outside, at('link'));
    await run('delete', { path: 'link' });
    await run('delete', { path: 'folder', recursive: true });
    expect(await readdir(workspace)).toEqual([]);
    expect(await readdir(outside)).toEqual(['keep']);
  });

  it.each(['.', './', 'folder/..'])('never deletes the workspace itself: %s', async (path) => {
    await expect(look('delete', { path, recursive: true })).rejects.toThrow('never moved or deleted');
    await expect(look('delete', { path: workspace, recursive: true })).rejects.toThrow('never moved or deleted');
  });

  it('refuses when it is another thing than was shown', async () => {
    await writeFile(at('f'), 'one');
    const prepared = await look('delete', { path: 'f' });
    await writeFile(at('f'), 'another');
    expect(await prepared.execute(quietIo())).toMatchObject({ isError: true });
    expect(await text('f')).toBe('another');
  });

  it('says so where there is nothing', async () => {
    await expect(look('delete', { path: 'nothing' })).rejects.toThrow(ToolError);
  });
});
