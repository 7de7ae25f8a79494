import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NameWatch } from '../../../src/main/sandbox/bwrap/name-watch';
import { tempFolder, until } from './helpers';

let top: string;
let told: string[];
let watch: NameWatch;
beforeEach(async () => {
  top = await tempFolder();
  told = [];
  watch = new NameWatch([top], (path) => told.push(path.slice(top.length + 1)));
});
afterEach(() => watch.close());

/** Of a folder that is not there it is told at once that it was looked for. */
async function addMissing(...names: readonly string[]): Promise<void> {
  for (const name of names) watch.add(join(top, name), false);
  for (const name of names) await isTold(name);
  told.splice(0);
}

const isTold = (path: string): Promise<void> => until(() => told.includes(path), `${path} was told`);

/** A folder is told when it is watched; what was written before is not told by itself, so it is written until then. */
const isToldOnceWatched = (path: string): Promise<void> =>
  until(async () => {
    await writeFile(join(top, path), '');
    return told.includes(path);
  }, `${path} was told`);

describe.runIf(process.platform === 'linux')('names in folders', () => {
  it('are told as they come to be, in a folder that is there and in one that is not yet', async () => {
    watch.add(top, true);
    await addMissing('a', 'a/b');
    await writeFile(join(top, 'file'), '');
    await isTold('file');
    await mkdir(join(top, 'a/b'), { recursive: true });
    await isTold('a');
    await isToldOnceWatched('a/b/file');
  });

  it('are told of a folder that came with them: it is told once it is watched', async () => {
    watch.add(top, true);
    await addMissing('a');
    await mkdir(join(top, 'other'));
    await writeFile(join(top, 'other/file'), '');
    await rename(join(top, 'other'), join(top, 'a'));
    await isTold('a');
    await writeFile(join(top, 'a/more'), '');
    await isTold('a/more');
  });

  it('are told of the folder that has the name now', async () => {
    await mkdir(join(top, 'a'));
    watch.add(top, true);
    watch.add(join(top, 'a'), true);
    await rename(join(top, 'a'), join(top, 'before'));
    await mkdir(join(top, 'a'));
    await isToldOnceWatched('a/new');
  });

  it('are not told through a link', async () => {
    const elsewhere = await tempFolder();
    watch.add(top, true);
    await addMissing('a');
    await symlink(elsewhere, join(top, 'a'));
    await isTold('a');
    await writeFile(join(elsewhere, 'theirs'), '');
    await writeFile(join(top, 'last'), '');
    await isTold('last');
    expect(told).not.toContain('a/theirs');
  });

  it('are told no more once it is closed', async () => {
    watch.add(top, true);
    watch.close();
    const other = new NameWatch([top], (path) => told.push(`other ${path.slice(top.length + 1)}`));
    other.add(top, true);
    await writeFile(join(top, 'file'), '');
    await isTold('other file');
    other.close();
    expect(told.filter((path) => !path.startsWith('other '))).toEqual([]);
  });
});
