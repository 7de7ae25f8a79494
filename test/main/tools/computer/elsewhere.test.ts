import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { contextOf, quietIo, tempFolder } from './helpers';

/**
 * The file tools as they are where there is no /proc: modules that are loaded anew, and told that this is another system.
 * Paths are looked at again instead of being held.
 */
let workspace = '';
let tools: typeof import('../../../../src/main/tools/registry');
const system = process.platform;
const at = (name: string): string => join(workspace, name);

beforeEach(async () => {
  workspace = await tempFolder();
  Object.defineProperty(process, 'platform', { value: 'darwin' });
  vi.resetModules();
  tools = await import('../../../../src/main/tools/registry');
});
afterEach(() => {
  Object.defineProperty(process, 'platform', { value: system });
});

async function prepare(name: string, input: object) {
  const tool = tools.computerTools().find((one) => one.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return tool.prepare(JSON.stringify(input), contextOf(workspace));
}
const run = async (name: string, input: object) => (await prepare(name, input)).execute(quietIo());

describe('the file tools where a folder cannot be held', () => {
  it('do what they are for', async () => {
    expect(await run('write_file', { path: 'a/b/file', content: 'one needle\n' })).toMatchObject({ isError: false });
    expect(await run('edit_file', { path: 'a/b/file', oldString: 'one', newString: 'two' })).toMatchObject({
      isError: false,
    });
    expect((await run('read_file', { path: 'a/b/file' })).content).toBe('two needle\n');
    expect((await run('list_dir', { path: '.', recursive: true })).content).toBe('a/\na/b/\na/b/file');
    expect((await run('search_files', { pattern: 'needle' })).content).toBe('a/b/file:1: two needle');
    expect(await run('move', { from: 'a/b', to: 'c' })).toMatchObject({ isError: false });
    expect(await run('move', { from: 'c/file', to: 'd' })).toMatchObject({ isError: false });
    expect(await run('delete', { path: 'a', recursive: true })).toMatchObject({ isError: false });
    expect((await readdir(workspace, { recursive: true })).sort()).toEqual(['c', 'd']);
  });

  it('refuse what was swapped for a link since it was shown', async () => {
    const outside = await tempFolder();
    await mkdir(join(outside, 'sub'));
    for (const file of ['file', 'sub/file']) await writeFile(join(outside, file), 'outside');
    await mkdir(at('way/sub'), { recursive: true });
    for (const file of ['way/file', 'way/sub/file', 'new']) await writeFile(at(file), 'inside');
    const calls = await Promise.all([
      prepare('write_file', { path: 'way/file', content: 'EVIL' }),
      prepare('write_file', { path: 'way/deep/new', content: 'EVIL' }),
      prepare('read_file', { path: 'way/file' }),
      prepare('list_dir', { path: 'way' }),
      prepare('search_files', { pattern: 'outside', path: 'way' }),
      prepare('move', { from: 'new', to: 'way/new' }),
      prepare('move', { from: 'way/file', to: 'taken' }),
      prepare('delete', { path: 'way/sub', recursive: true }),
    ]);
    await rename(at('way'), at('old'));
    await symlink(outside, at('way'));
    for (const call of calls) expect(await call.execute(quietIo())).toMatchObject({ isError: true });
    expect((await readdir(outside, { recursive: true })).sort()).toEqual(['file', 'sub', 'sub/file']);
    expect(await readFile(join(outside, 'file'), 'utf8')).toBe('outside');
  });

  it('take another spelling of a protected path for it', async () => {
    for (const path of ['.ENV', '.Git/Config', '.env ', '.vscode./tasks.json']) {
      await expect(prepare('write_file', { path, content: '' })).rejects.toThrow('is protected');
    }
  });
});
