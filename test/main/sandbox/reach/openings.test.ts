import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../../../src/main/sandbox/policy';
import { findPath } from '../../../../src/main/sandbox/reach/find-path';
import { findOpenings, withLinks } from '../../../../src/main/sandbox/reach/openings';
import { tempFolder } from '../helpers';

let top = '';
const at = (path: string): string => join(top, path);

beforeEach(async () => {
  top = await tempFolder();
  for (const folder of ['ws/sub', 'data/cur', 'data/v1', 'other/deep']) await mkdir(at(folder), { recursive: true });
});

/** With the paths shown from the top. */
async function openings(read: readonly string[], write: readonly string[]) {
  const policy = await withLinks({ ...DEFAULT_POLICY, read: read.map(at), write: write.map(at) });
  const found = await findOpenings(at('ws'), policy);
  const shown = (paths: readonly string[]): string[] => paths.map((path) => path.slice(top.length + 1));
  return {
    read: shown(found.read),
    write: shown(found.write),
    keep: shown(found.keep),
    names: Object.fromEntries([...found.names].map((pair) => shown(pair))),
  };
}
const nothing = { read: [], write: [], keep: [], names: {} };

describe('what the agent file opens', () => {
  it('is what is there, each once', async () => {
    const found = await openings(['other', 'other', 'gone'], ['data', 'gone/too']);
    expect(found).toEqual({ ...nothing, read: ['other'], write: ['data'] });
  });

  it('is not named twice where it can be written anyway', async () => {
    expect(await openings(['ws/sub', 'data'], ['ws', 'ws/sub', 'data', 'data/cur'])).toEqual({
      ...nothing,
      write: ['data'],
    });
  });

  it('stays as it is where it is named as readable in what can be written', async () => {
    expect(await openings(['data/cur'], ['data'])).toEqual({ ...nothing, write: ['data'], keep: ['data/cur'] });
  });

  it('has another name where a link leads to it', async () => {
    await symlink('other', at('link'));
    expect(await openings(['link/deep'], [])).toEqual({
      ...nothing,
      read: ['other/deep'],
      names: { 'link/deep': 'other/deep' },
    });
  });

  it.each([
    ['a link in the workspace', 'ws/out', [], ['ws/out']],
    ['a link in what can be written', 'data/out', [], ['data', 'data/out']],
    ['a link in what can be written, to read', 'data/out', ['data/out'], ['data']],
    ['a link on the way', 'data/out', ['link'], ['data']],
    ['a folder behind a link in the workspace', 'ws/out', ['ws/out/deep'], []],
  ])('is nothing behind %s, which a command could bend', async (_, link, read, write) => {
    await symlink(at('other'), at(link));
    await symlink(link, at('link'));
    const found = await openings(read, write);
    expect(JSON.stringify(found)).not.toContain('other');
  });
});

describe('what leads elsewhere than when the run began', () => {
  it('is not opened: a folder that became a link, a link that was bent, a path that has appeared', async () => {
    await symlink('data', at('link'));
    const paths = [at('other'), at('link'), at('later'), at('later-link')];
    const policy = await withLinks({ ...DEFAULT_POLICY, read: paths });
    expect([...(await findOpenings(at('ws'), policy)).read].sort()).toEqual([at('data'), at('other')]);
    await rename(at('other'), at('elsewhere'));
    await symlink('ws-evil', at('other'));
    await rm(at('link'));
    await symlink('ws-evil', at('link'));
    await symlink('ws-evil', at('later-link'));
    for (const folder of ['ws-evil', 'later']) await mkdir(at(folder));
    expect((await findOpenings(at('ws'), policy)).read).toEqual([at('later')]);
  });
});

describe('finding a path', () => {
  it('follows links as the kernel does, and says where they lie', async () => {
    await symlink('data/cur/../v1', at('a'));
    await symlink('../a', at('ws/b'));
    await symlink('.', at('data/cur/self'));
    await writeFile(at('data/v1/file'), '');
    expect(await findPath(at('ws/b/file'))).toEqual({
      given: at('ws/b/file'),
      real: at('data/v1/file'),
      links: [at('ws/b'), at('a')],
    });
    await symlink(`${top}/ws/b/../cur`, at('c'));
    expect((await findPath(at('c')))?.real).toBe(at('data/cur'));
  });

  it('finds nothing in a circle and behind nothing', async () => {
    await symlink('circle', at('circle'));
    await symlink('nowhere', at('dangling'));
    expect(
      await Promise.all(['circle', 'circle/x', 'dangling', 'gone', 'ws/gone/x'].map((path) => findPath(at(path)))),
    ).toEqual([null, null, null, null, null]);
  });
});
