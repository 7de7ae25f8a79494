import { execFileSync } from 'node:child_process';
import { mkdir, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoriesBelow, repositoriesFromAbove } from '../../../../src/main/sandbox/reach/nested';
import { tempFolder, until } from '../helpers';

const LATER = Date.now() + 3_600_000;

async function withFolders(...paths: string[]): Promise<string> {
  const top = await tempFolder();
  for (const path of paths) await mkdir(join(top, path), { recursive: true });
  return top;
}

async function below(top: string, since = LATER) {
  const { roots, isCut } = await repositoriesBelow([top], since);
  return { roots: roots.map((root) => root.slice(top.length + 1)), isCut };
}

describe('repositories below a folder', () => {
  it('are found three folders deep, in other ones too, and nearest first', async () => {
    const top = await withFolders('.git', 'a/b/c/.git', 'a/b/.git', 'one/.git', 'a/b/c/d/.git', '.hidden/.git');
    await mkdir(join(top, 'tree'));
    await writeFile(join(top, 'tree/.git'), 'gitdir: elsewhere');
    const { roots, isCut } = await below(top);
    expect([...roots].sort()).toEqual(['.hidden', 'a/b', 'a/b/c', 'one', 'tree']);
    expect(roots.indexOf('one')).toBeLessThan(roots.indexOf('a/b'));
    expect(roots.at(-1)).toBe('a/b/c');
    expect(isCut).toBe(false);
  });

  it('are not looked for through links, nor in what programs install', async () => {
    const elsewhere = await withFolders('.git');
    const top = await withFolders('node_modules/a/.git', 'x/node_modules/a/.git', 'x/.git/modules/a/.git');
    await symlink(elsewhere, join(top, 'link'));
    expect((await below(top)).roots).toEqual(['x']);
  });

  it('are those that were there before, whatever their times are set to', async () => {
    const top = await withFolders('before/.git');
    const { birthtimeMs } = await stat(join(top, 'before/.git'));
    await until(() => Date.now() > birthtimeMs + 50, 'some time went by');
    const since = Date.now();
    await until(() => Date.now() > since + 50, 'some time went by');
    await mkdir(join(top, 'after/.git'), { recursive: true });
    await utimes(join(top, 'after/.git'), new Date(0), new Date(0));
    expect((await below(top, since)).roots).toEqual(['before']);
    await utimes(join(top, 'before/.git'), new Date(LATER), new Date(LATER));
    await rename(join(top, 'before'), join(top, 'moved'));
    expect((await below(top, since)).roots).toEqual(['moved']);
  });

  it('are told to be more where there are too many', async () => {
    const top = await withFolders(...Array.from({ length: 41 }, (_, index) => `r${index}/.git`));
    expect(await below(top)).toMatchObject({ isCut: true });
    expect((await below(top)).roots).toHaveLength(40);
    await rm(join(top, 'r0'), { recursive: true });
    expect(await below(top)).toMatchObject({ isCut: false });
  });

  it('end with a number of folders', async () => {
    const top = await withFolders('a/.git', ...Array.from({ length: 2_500 }, (_, index) => `many/f${index}/x`));
    expect((await below(top)).roots).toEqual(['a']);
  });
});

describe('repositories that stand in the index of one above', () => {
  const git = (cwd: string, ...args: string[]): void => {
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.invalid', ...args], { cwd, stdio: 'pipe' });
  };

  it('are those in the folders, however far above it is', async () => {
    const top = await withFolders('deep/ws/sub', 'deep/ws/free', 'other/sub');
    for (const path of ['.', 'deep/ws/sub', 'deep/ws/free', 'other/sub']) git(join(top, path), 'init', '--quiet');
    for (const path of ['deep/ws/sub', 'other/sub'])
      git(join(top, path), 'commit', '--quiet', '--allow-empty', '-m', 'x');
    git(top, '-c', 'advice.addEmbeddedRepo=false', 'add', 'deep/ws/sub', 'other/sub');
    expect(await repositoriesFromAbove([join(top, 'deep/ws')])).toEqual([join(top, 'deep/ws/sub')]);
    expect(await repositoriesFromAbove([top])).toEqual([]);
  });

  it('cannot be told from an index that cannot be read', async () => {
    const top = await withFolders('.git', 'ws');
    await writeFile(join(top, '.git/index'), 'DIRC');
    await expect(repositoriesFromAbove([join(top, 'ws')])).rejects.toThrow('cannot be read');
  });
});
