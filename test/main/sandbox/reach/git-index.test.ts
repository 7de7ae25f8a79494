import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { linksInIndex } from '../../../../src/main/sandbox/reach/git-index';
import { tempFolder } from '../helpers';

const AUTHOR = ['-c', 'user.name=a', '-c', 'user.email=a@b.invalid', '-c', 'init.defaultBranch=main'];

function git(cwd: string, ...args: string[]): void {
  execFileSync('git', [...AUTHOR, ...args], { cwd, stdio: 'pipe' });
}

const PLAIN = ['a', 'a-b/c', 'deep/er/file', 'deep/er/file2', 'ünï', `long/${'x'.repeat(200)}`, 'zz'];
const LINKS = ['deep/er/repo', 'mödule', 'sub'];
const LENGTHS = { sha1: 20, sha256: 32 } as const;
type Format = keyof typeof LENGTHS;

/** A repository with files, and others in its index. */
async function repository(format: Format): Promise<string> {
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

const indexOf = (folder: string): Promise<Buffer> => readFile(join(folder, '.git/index'));
const read = async (folder: string, format: Format = 'sha1') =>
  (await linksInIndex(await indexOf(folder), LENGTHS[format]))?.toSorted() ?? null;

describe('the index of a real repository', () => {
  describe.each(['sha1', 'sha256'] as const)('of %s', (format) => {
    it.each([2, 3, 4])('version %i names the repositories in it', async (version) => {
      const folder = await repository(format);
      git(folder, 'update-index', `--index-version=${version}`);
      // What makes its entry longer.
      if (version > 2) git(folder, 'add', '--intent-to-add', '.');
      if (version > 2) git(folder, 'update-index', '--skip-worktree', 'zz');
      expect((await indexOf(folder)).readUInt32BE(4)).toBe(version);
      expect(await read(folder, format)).toEqual(LINKS.toSorted());
    });

    it('has extensions, and no entries', async () => {
      const folder = await repository(format);
      git(folder, 'update-index', '--untracked-cache', '--force-untracked-cache');
      git(folder, 'commit', '--quiet', '-m', 'x');
      git(folder, 'status');
      expect(await read(folder, format)).toHaveLength(LINKS.length);
      git(folder, 'rm', '--quiet', '-r', '--cached', '-f', '.');
      expect(await read(folder, format)).toEqual([]);
    });

    it('that is split has part of it elsewhere, and is not read', async () => {
      const folder = await repository(format);
      git(folder, 'update-index', '--split-index');
      expect(await read(folder, format)).toBeNull();
    });

    it('is not read with the other hash', async () => {
      expect(await read(await repository(format), format === 'sha1' ? 'sha256' : 'sha1')).toBeNull();
    });
  });

  it.each([2, 4])('of many entries, version %i, is read as the blocks that git reads it in', async (version) => {
    const folder = await repository('sha1');
    const id = '1'.repeat(40);
    const names = Array.from({ length: 21_000 }, (_, index) => `many/file${index}`);
    const lines = [...names.map((name) => `100644 ${id}\t${name}`), `160000 ${id}\tmany/repo`].join('\n');
    const options = ['-c', 'index.threads=4', '-c', `index.version=${version}`];
    execFileSync('git', [...options, 'update-index', '--index-info'], {
      cwd: folder,
      input: `${lines}\n`,
      stdio: 'pipe',
    });
    git(folder, ...options, 'update-index', `--index-version=${version}`);
    expect((await indexOf(folder)).includes('IEOT')).toBe(true);
    expect(await read(folder)).toEqual([...LINKS, 'many/repo'].toSorted());
  });

  it('that is sparse has folders for what it leaves out, and is not read', async () => {
    const folder = await tempFolder();
    git(folder, 'init', '--quiet');
    for (const path of ['in/a', 'out/a']) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), path);
    }
    git(folder, 'add', '.');
    git(folder, 'commit', '--quiet', '-m', 'x');
    git(folder, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'in');
    expect(await read(folder)).toBeNull();
  });
});

interface MadeEntry {
  readonly name: string | Buffer;
  readonly mode?: number;
  /** In place of the length of its name. */
  readonly length?: number;
}

const LINK = 0o160000;

function entry({ name, mode = 0o100644, length }: MadeEntry): Buffer {
  const bytes = Buffer.from(name as string);
  const made = Buffer.alloc(Math.floor((62 + bytes.length + 8) / 8) * 8);
  made.writeUInt32BE(mode, 24);
  made.fill(0x11, 40, 60);
  made.writeUInt16BE(length ?? Math.min(bytes.length, 0xfff), 60);
  bytes.copy(made, 62);
  return made;
}

const extension = (kind: string, content: Buffer = Buffer.alloc(0)): Buffer => {
  const head = Buffer.alloc(8, kind);
  head.writeUInt32BE(content.length, 4);
  return Buffer.concat([head, content]);
};

function index(entries: readonly Buffer[], ...more: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(12, 'DIRC');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(entries.length, 8);
  const all = Buffer.concat([head, ...entries, ...more]);
  return Buffer.concat([all, createHash('sha1').update(all).digest()]);
}

const number = (...values: number[]): Buffer => {
  const made = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) made.writeUInt32BE(value, 4 * at);
  return made;
};

describe('what git might read otherwise', () => {
  const [a, b] = [entry({ name: 'a' }), entry({ name: 'b' })];

  it('is none of it in an index as it should be', async () => {
    const sub = entry({ name: 'c/sub', mode: LINK });
    expect(await linksInIndex(index([a, b, sub], extension('TREE', number(1))), 20)).toEqual(['c/sub']);
    const ends = [
      extension('IEOT', number(1, 12, 1, 12 + a.length, 2)),
      extension('EOIE', Buffer.concat([number(12 + a.length + b.length + sub.length), Buffer.alloc(20)])),
    ];
    expect(await linksInIndex(index([a, b, sub], ...ends), 20)).toEqual(['c/sub']);
  });

  it.each([
    ['a name that is longer than it looks', index([entry({ name: 'a', length: 40 }), b])],
    ['a name that is shorter', index([entry({ name: 'abc', length: 2 }), b])],
    ['no name, as for what is replaced in the other half', index([entry({ name: '', mode: LINK }), b])],
    ['a folder of a sparse index', index([a, entry({ name: 'out/', mode: 0o040000 })])],
    ['an extension that it may know', index([a], extension('ZZZZ'))],
    ['an extension that has to be known', index([a], extension('what'))],
    ['the other half of it', index([a], extension('link', Buffer.alloc(20, 1)))],
    ['what is left over', index([a], Buffer.alloc(4))],
    ['an extension that goes on behind the end', index([a], Buffer.concat([Buffer.from('TREE'), number(99)]))],
    ['entries that end elsewhere', index([a], extension('EOIE', Buffer.concat([number(12), Buffer.alloc(20)])))],
    ['blocks that begin elsewhere', index([a, b], extension('IEOT', number(1, 12, 1, 13, 1)))],
    ['blocks that leave out some', index([a, b], extension('IEOT', number(1, 12, 1)))],
    ['more in the blocks', index([a, b], extension('IEOT', number(1, 12, 3)))],
    ['another kind of blocks', index([a], extension('IEOT', number(2, 12, 1)))],
  ])('is not read: %s', async (_, odd) => {
    expect(await linksInIndex(odd, 20)).toBeNull();
  });

  it.each([
    '../sub',
    'a/../sub',
    './sub',
    'sub/',
    'a//sub',
    '/sub',
    '.git/sub',
    'a/.GIT',
    'git~1/sub',
    Array.from({ length: 21 }, () => 'a').join('/'),
    'x'.repeat(1_025),
    Buffer.from([0x73, 0xff]),
  ])('is not read: a repository by the name of %j', async (name) => {
    expect(await linksInIndex(index([entry({ name, mode: LINK })]), 20)).toBeNull();
  });
});

describe('what is no index', () => {
  let real: Buffer;
  beforeAll(async () => {
    real = await indexOf(await repository('sha1'));
  });

  it('is told from one where it is cut, wherever', async () => {
    for (let length = 0; length < real.length; length += 1) {
      expect(await linksInIndex(real.subarray(0, length), 20), `cut at ${length}`).toBeNull();
    }
  });

  it('is told from one by its version, and by the number of its entries', async () => {
    const other = Buffer.from(real);
    other.writeUInt32BE(5, 4);
    expect(await linksInIndex(other, 20)).toBeNull();
    for (const more of [1, -1]) {
      const wrong = Buffer.from(real);
      wrong.writeUInt32BE(real.readUInt32BE(8) + more, 8);
      expect(await linksInIndex(wrong, 20)).toBeNull();
    }
  });
});
