import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { repositoriesIn } from '../../../../src/main/sandbox/reach/repositories';
import { tempFolder, until } from '../helpers';

function git(cwd: string, ...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.invalid', ...args], { cwd, stdio: 'pipe' });
}

async function repository(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  git(folder, 'init', '--quiet', '.');
  git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'x');
  return folder;
}

/** With paths from the folder, and in order. */
async function look(top: string, folders: readonly string[] = [top]) {
  const found = await repositoriesIn(folders);
  const short = (paths: readonly string[]) => paths.map((path) => path.replace(top, '').replace(/^\//, '')).sort();
  return Object.fromEntries(
    [...found.values()].map(({ root, folders: own, trees, entries, links, unread }) => [
      short([root])[0] ?? '',
      {
        folders: short(own),
        trees: short(trees),
        entries: short(entries),
        links: short(links),
        unread: unread === null ? null : short([unread])[0],
      },
    ]),
  );
}

const NOTHING = { folders: [], trees: [], entries: [], links: [], unread: null };

describe('the repositories that git gets to', () => {
  it('are those in an index, and in the index of one of these', async () => {
    const top = await repository(await tempFolder());
    await repository(join(top, 'a/sub'));
    await repository(join(top, 'a/sub/deep'));
    await repository(join(top, 'free'));
    git(join(top, 'a/sub'), 'add', 'deep');
    git(top, 'add', 'a/sub');
    expect(await look(top)).toEqual({
      '': { ...NOTHING, folders: ['.git'], entries: ['HEAD'], links: ['a/sub'] },
      'a/sub': { ...NOTHING, folders: ['a/sub/.git'], links: ['a/sub/deep'] },
      'a/sub/deep': { ...NOTHING, folders: ['a/sub/deep/.git'] },
    });
  });

  it('have the git folders of other working trees, and of a link', async () => {
    const top = await repository(await tempFolder());
    git(top, 'worktree', 'add', '--quiet', '--detach', join(await tempFolder(), 'tree'));
    expect((await look(top))['']).toMatchObject({ trees: ['.git/worktrees/tree'] });
    await rename(join(top, '.git'), join(top, 'real'));
    await symlink('real', join(top, '.git'));
    expect((await look(top))['']).toMatchObject({
      folders: ['.git', 'real'],
      trees: ['.git/worktrees/tree', 'real/worktrees/tree'],
    });
  });

  it('are closed as a whole where there are more working trees than anybody has', async () => {
    const top = await repository(await tempFolder());
    for (let count = 0; count < 51; count += 1)
      await mkdir(join(top, '.git/worktrees', `t${count}`), { recursive: true });
    expect((await look(top))['']).toMatchObject({ trees: [], entries: ['.git/worktrees', 'HEAD'] });
  });

  it('of a working tree are in its own folder and in the common one', async () => {
    const top = await tempFolder();
    const main = await repository(join(top, 'main'));
    git(main, 'worktree', 'add', '--quiet', '--detach', join(top, 'tree'));
    expect((await look(top, [join(top, 'tree')])).tree).toMatchObject({
      folders: ['main/.git', 'main/.git/worktrees/tree'],
      entries: ['tree/.git'],
    });
    const inGit = join(main, '.git/worktrees/tree');
    expect((await look(top, [inGit]))['main/.git/worktrees/tree']).toMatchObject({
      folders: ['main/.git', 'main/.git/worktrees/tree'],
    });
  });

  it.each([
    ['an empty one', [], ['.git', 'HEAD'], []],
    ['one with half of a git folder', ['refs', 'objects'], ['.git', 'HEAD'], []],
    ['one with a HEAD, which the rest would make a git folder', ['HEAD'], ['.git'], ['']],
    ['a git folder', ['HEAD', 'refs', 'objects'], ['.git'], ['']],
  ])('are also a folder itself: %s', async (_, there, entries, folders) => {
    const top = await tempFolder();
    for (const name of there) await mkdir(join(top, name));
    expect((await look(top))['']).toEqual({ ...NOTHING, entries, folders });
    // That there is a git folder in it makes no difference: a command may spoil that.
    await mkdir(join(top, '.git'));
    await writeFile(join(top, '.git/HEAD'), 'ref: refs/heads/main');
    const more = { entries: entries.filter((name) => name !== '.git'), folders: [...folders, '.git'] };
    expect((await look(top))['']).toEqual({ ...NOTHING, ...more });
  });

  it('leave nothing out of an index that cannot be read', async () => {
    const top = await repository(await tempFolder());
    await writeFile(join(top, '.git/index'), 'DIRC and so on, but not really an index of any version');
    expect((await look(top))['']).toMatchObject({ links: [], unread: '.git/index' });
    await rm(join(top, '.git/index'));
    await mkdir(join(top, '.git/index'));
    expect((await look(top))['']).toMatchObject({ unread: '.git/index' });
  });

  it('follow no name out of the folder, and no link', async () => {
    const top = await repository(await tempFolder());
    const elsewhere = await repository(await tempFolder());
    git(top, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},aa/bb`);
    const index = await readFile(join(top, '.git/index'));
    index.write('../bb', index.indexOf('aa/bb'), 'latin1');
    await writeFile(join(top, '.git/index'), index);
    expect((await look(top))['']).toMatchObject({ links: [] });
    await rm(join(top, '.git/index'));
    await symlink(join(elsewhere, '.git/HEAD'), join(top, '.git/index'));
    expect((await look(top))['']).toMatchObject({ unread: '.git/index' });
  });

  it('are read anew when an index changed, though it looks the same', async () => {
    const top = await repository(await tempFolder());
    const path = join(top, '.git/index');
    git(top, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},aa`);
    const past = new Date(Date.now() - 60_000);
    await utimes(path, past, past);
    expect((await look(top))['']?.links).toEqual(['aa']);
    const index = await readFile(path);
    index.write('bb', index.indexOf('aa'), 'latin1');
    await writeFile(path, index, { flag: 'r+' });
    await utimes(path, past, past);
    expect((await look(top))['']?.links).toEqual(['bb']);
  });

  it('are read anew on demand, whatever an index looks like', async () => {
    const top = await repository(await tempFolder());
    const path = join(top, '.git/index');
    git(top, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},aa`);
    const changedAt = async () => (await stat(path)).ctimeMs;
    const first = await changedAt();
    await until(() => Date.now() - first > 200, 'it settled');
    expect((await look(top))['']?.links).toEqual(['aa']);
    // Mapped and written to, the page stays so: what is written to it later changes no time, unless it was saved meanwhile.
    const script = `import mmap, os, sys, time
with open(sys.argv[1], 'r+b') as f:
    m = mmap.mmap(f.fileno(), 0)
    at = m.find(b'aa')
    m[at:at + 2] = b'aa'
    print('mapped', flush=True)
    sys.stdin.readline()
    m[at:at + 2] = b'bb'
    print('written', flush=True)
    sys.stdin.readline()`;
    const child = spawn('python3', ['-c', script, path], { stdio: ['pipe', 'pipe', 'inherit'] });
    const said = createInterface(child.stdout)[Symbol.asyncIterator]();
    expect((await said.next()).value).toBe('mapped');
    const second = await changedAt();
    await until(() => Date.now() - second > 200, 'it settled');
    expect((await look(top))['']?.links).toEqual(['aa']);
    child.stdin.write('\n');
    expect((await said.next()).value).toBe('written');
    expect([...(await repositoriesIn([top], [], 'anew')).values()][0]?.links).toEqual([join(top, 'bb')]);
    child.stdin.end('\n');
    await once(child, 'exit');
  });
});
