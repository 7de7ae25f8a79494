import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readIndex } from '../../../../src/main/sandbox/reach/git-index';
import { tempFolder } from '../helpers';

const AUTHOR = ['-c', 'user.name=a', '-c', 'user.email=a@b.invalid', '-c', 'init.defaultBranch=main'];

function git(cwd: string, ...args: string[]): void {
  execFileSync('git', [...AUTHOR, ...args], { cwd, stdio: 'pipe' });
}

const PLAIN = ['a', 'a-b/c', 'deep/er/file', 'deep/er/file2', 'ünï', `long/${'x'.repeat(200)}`, 'zz'];
const LINKS = ['deep/er/repo', 'mödule', 'sub'];

/** A repository with files, and others in its index. */
async function repository(format: string): Promise<string> {
  const folder = await tempFolder();
  git(folder, 'init', '--quiet', `--object-format=${format}`);
  for (const path of PLAIN) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), path);
  }
  for (const path of LINKS) {
    await mkdir(join(folder, path), { recursive: true });
    git(join(folder, path), 'init', '--quiet', `--object-format=${format}`);
    git(join(folder, path), 'commit', '--quiet', '--allow-empty', '-m', 'x');
  }
  git(folder, '-c', 'advice.addEmbeddedRepo=false', 'add', '.');
  return folder;
}

const read = async (folder: string, name = 'index') => readIndex(await readFile(join(folder, '.git', name)));

describe('the index of a real repository', () => {
  describe.each(['sha1', 'sha256'])('of %s', (format) => {
    it.each([2, 3, 4])('version %i names the repositories in it', async (version) => {
      const folder = await repository(format);
      git(folder, 'update-index', `--index-version=${version}`);
      // What makes its entry longer.
      if (version > 2) git(folder, 'add', '--intent-to-add', '.');
      if (version > 2) git(folder, 'update-index', '--skip-worktree', 'zz');
      expect((await readFile(join(folder, '.git/index'))).readUInt32BE(4)).toBe(version);
      const content = await read(folder);
      expect([...(content?.links ?? [])].sort()).toEqual([...LINKS].sort());
      expect(content?.shared).toBeNull();
    });

    it('is split, and says which file has the rest', async () => {
      const folder = await repository(format);
      git(folder, 'update-index', '--split-index');
      const content = await read(folder);
      expect(content?.links).toEqual([]);
      expect([...((await read(folder, content?.shared ?? ''))?.links ?? [])].sort()).toEqual([...LINKS].sort());
      await mkdir(join(folder, 'late'));
      git(join(folder, 'late'), 'init', '--quiet', `--object-format=${format}`);
      git(join(folder, 'late'), 'commit', '--quiet', '--allow-empty', '-m', 'x');
      git(folder, 'add', 'late');
      expect((await read(folder))?.links).toContain('late');
    });

    it('has extensions, and no entries', async () => {
      const folder = await repository(format);
      git(folder, 'update-index', '--untracked-cache', '--force-untracked-cache');
      git(folder, 'status');
      expect((await read(folder))?.links).toHaveLength(LINKS.length);
      git(folder, 'rm', '--quiet', '-r', '--cached', '-f', '.');
      expect(await read(folder)).toEqual({ links: [], shared: null });
    });
  });
});

describe('what is no index that is known', () => {
  it('is told from one: cut anywhere, of another version, with something that has to be understood', async () => {
    const index = await readFile(join(await repository('sha1'), '.git/index'));
    for (let length = 0; length < index.length; length += 1) {
      expect(await readIndex(index.subarray(0, length)), `cut at ${length}`).toBeNull();
    }
    const other = Buffer.from(index);
    other.writeUInt32BE(5, 4);
    expect(await readIndex(other)).toBeNull();
    const more = Buffer.from(index);
    more.writeUInt32BE(index.readUInt32BE(8) + 1, 8);
    expect(await readIndex(more)).toBeNull();
    const strange = Buffer.concat([index.subarray(0, -20), Buffer.from('what\0\0\0\0'), index.subarray(-20)]);
    expect(await readIndex(strange)).toBeNull();
    const harmless = Buffer.concat([index.subarray(0, -20), Buffer.from('WHAT\0\0\0\0'), index.subarray(-20)]);
    expect((await readIndex(harmless))?.links).toHaveLength(LINKS.length);
  });

  it('is one with a repository whose name is no text', async () => {
    const index = await readFile(join(await repository('sha1'), '.git/index'));
    const at = index.indexOf('sub\0');
    index[at] = 0xff;
    expect(await readIndex(index)).toBeNull();
  });

  it('is one with a repository deeper than anybody makes one', async () => {
    const folder = await tempFolder();
    git(folder, 'init', '--quiet');
    for (const [depth, isRead] of [
      [64, true],
      [65, false],
    ] as const) {
      const path = Array.from({ length: depth }, () => 'a').join('/');
      git(folder, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},${path}`);
      expect((await read(folder)) !== null, `${depth}`).toBe(isRead);
      git(folder, 'update-index', '--force-remove', path);
    }
  });
});
