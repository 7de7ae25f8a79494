import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lookDown, standsAt } from '../../../src/main/sandbox/bwrap/look-down';
import { tempFolder } from './helpers';

async function look(paths: readonly string[]) {
  const folder = await tempFolder();
  const elsewhere = await tempFolder();
  await mkdir(join(folder, 'a/b'), { recursive: true });
  await writeFile(join(folder, 'a/file'), '');
  await writeFile(join(elsewhere, 'there'), '');
  await symlink(elsewhere, join(folder, 'a/out'));
  await symlink('gone', join(folder, 'dangling'));
  const absolute = paths.map((path) => (path === 'ELSEWHERE' ? join(elsewhere, 'there') : join(folder, path)));
  const seen = await lookDown([folder], absolute);
  const names = [...seen].filter(([, stats]) => stats !== null).map(([path]) => path.slice(folder.length + 1));
  const stand = absolute.map((path) => standsAt([folder], path, seen)?.path.slice(folder.length + 1) ?? null);
  return { names: names.sort(), stand };
}

describe('what stands at a path in a folder', () => {
  it.each([
    ['a folder', 'a/b', 'a/b'],
    ['a file', 'a/file', 'a/file'],
    ['nothing', 'a/none', null],
    ['nothing in nothing', 'none/none/none', null],
    ['nothing in a file', 'a/file/none', null],
    ['a link', 'a/out', 'a/out'],
    ['the link on the way, and not what it leads to', 'a/out/there', 'a/out'],
    ['a link to nothing', 'dangling', 'dangling'],
    ['a link to nothing on the way', 'dangling/none', 'dangling'],
    ['nothing of what is elsewhere', 'ELSEWHERE', null],
    ['nothing of what is above', '../..', null],
  ])('%s', async (_, path, expected) => {
    expect((await look([path])).stand).toEqual([expected]);
  });

  it('is found for all of them together, and nothing else is looked at', async () => {
    const { names, stand } = await look(['a/b', 'a/out/there', 'a/none', 'dangling/x/y']);
    expect(stand).toEqual(['a/b', 'a/out', null, 'dangling']);
    expect(names).toEqual(['a', 'a/b', 'a/out', 'dangling']);
  });
});
