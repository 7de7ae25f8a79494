import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorkspace } from '../../../src/main/runs/workspace';

let root: string;
let data: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'sayso-ws-')));
  data = join(root, 'data');
  await mkdir(join(data, 'agents'), { recursive: true });
  await mkdir(join(root, 'work', 'inner'), { recursive: true });
  await writeFile(join(root, 'file'), 'x');
});
afterEach(() => rm(root, { recursive: true, force: true }));

const open = (path: string) => openWorkspace(path, 'ask', data);

describe('a workspace', () => {
  it('is the real path of a folder, through links', async () => {
    await symlink(join(root, 'work'), join(root, 'link'));
    expect(await open(join(root, 'link'))).toBe(join(root, 'work'));
    expect(await open(join(root, 'work', 'inner', '..'))).toBe(join(root, 'work'));
  });

  it.each([
    ['is not there', 'missing', /is not there/],
    ['is a file', 'file', /is a file/],
    ['is the data folder', 'data', /own data folder/],
    ['lies in the data folder', 'data/agents', /own data folder/],
    ['holds the data folder', '.', /own data folder/],
  ])('is refused when it %s', async (_name, path, words) => {
    await expect(open(join(root, path))).rejects.toThrow(words);
  });

  it('is refused when a link leads to the data folder, and when its path is relative', async () => {
    await symlink(data, join(root, 'innocent'));
    await expect(open(join(root, 'innocent'))).rejects.toThrow(/own data folder/);
    await expect(open('work')).rejects.toThrow(/not an absolute path/);
  });

  it('may have a name that begins like that of the data folder', async () => {
    await mkdir(join(root, 'data-of-mine'));
    expect(await open(join(root, 'data-of-mine'))).toBe(join(root, 'data-of-mine'));
    await mkdir(join(root, '..data'));
    expect(await openWorkspace(join(root, '..data'), 'ask', data)).toBe(join(root, '..data'));
  });
});
