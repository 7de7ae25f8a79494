import { lstat, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inFolderOf } from '../../../src/main/sandbox/bwrap/in-folder';
import { Sentinel } from '../../../src/main/sandbox/bwrap/sentinel';
import { tempFolder } from './helpers';

async function places() {
  const [base, elsewhere] = [await tempFolder(), await tempFolder()];
  const workspace = join(base, 'workspace');
  await mkdir(join(workspace, 'a/b'), { recursive: true });
  await writeFile(join(workspace, 'a/b/file'), 'here');
  await mkdir(join(elsewhere, 'b'));
  for (const name of ['file', 'b/file']) await writeFile(join(elsewhere, name), 'untouched');
  return { workspace, elsewhere };
}

type Places = Awaited<ReturnType<typeof places>>;

const EXCHANGES: Readonly<Record<string, (at: Places) => Promise<unknown>>> = {
  'the folder is a link': async ({ workspace, elsewhere }) => {
    await rename(join(workspace, 'a/b'), join(workspace, 'a/c'));
    await symlink(elsewhere, join(workspace, 'a/b'));
  },
  'a folder above it is a link': async ({ workspace, elsewhere }) => {
    await rename(join(workspace, 'a'), join(workspace, 'c'));
    await symlink(elsewhere, join(workspace, 'a'));
  },
  'the writable folder is a link': async ({ workspace, elsewhere }) => {
    await rename(workspace, `${workspace}-moved`);
    await mkdir(join(elsewhere, 'a/b'), { recursive: true });
    await writeFile(join(elsewhere, 'a/b/file'), 'untouched');
    await symlink(elsewhere, workspace);
  },
  'it is gone': ({ workspace }) => rm(join(workspace, 'a'), { recursive: true }),
};

describe.runIf(process.platform === 'linux')('what is done in a folder that commands can write to', () => {
  it('is done there', async () => {
    const { workspace } = await places();
    const path = join(workspace, 'a/b/file');
    expect(await inFolderOf([workspace], path, (place) => readFile(place, 'utf8'))).toBe('here');
  });

  it.each(Object.entries(EXCHANGES))('is not done where %s', async (_, exchange) => {
    const at = await places();
    await exchange(at);
    const path = join(at.workspace, 'a/b/file');
    expect(await inFolderOf([at.workspace], path, (place) => writeFile(place, 'changed'))).toBeNull();
    for (const name of ['file', 'b/file']) expect(await readFile(join(at.elsewhere, name), 'utf8')).toBe('untouched');
  });

  it('is not done outside of them', async () => {
    const { workspace, elsewhere } = await places();
    expect(await inFolderOf([workspace], join(elsewhere, 'file'), (place) => rm(place))).toBeNull();
    expect(await inFolderOf([workspace], workspace, (place) => rm(place, { recursive: true }))).toBeNull();
    expect((await lstat(join(elsewhere, 'file'))).isFile()).toBe(true);
  });

  // In the sandbox these folders cannot be renamed; a command that runs beside it, or a person, can do it.
  it.each(Object.entries(EXCHANGES))('nor by the look at the end of a command, where %s', async (_, exchange) => {
    const at = await places();
    const [file, link] = [join(at.workspace, 'a/b/file'), join(at.workspace, 'a/b/link')];
    const protection = {
      writable: [at.workspace],
      mounts: [],
      closed: new Set<string>(),
      absent: [file],
      links: new Map([
        [link, 'made-elsewhere'],
        [file, 'made-elsewhere'],
      ]),
      folders: new Map([
        [join(at.workspace, 'a'), true],
        [join(at.workspace, 'a/b'), true],
      ]),
      repositories: new Map(),
      nested: [],
      placed: [],
      variants: new Set<string>(),
      release: () => undefined,
    };
    const sentinel = new Sentinel(at.workspace, protection, () => undefined);
    await exchange(at);
    const before = (await readdir(at.elsewhere, { recursive: true })).sort();
    await sentinel.end();
    expect((await readdir(at.elsewhere, { recursive: true })).sort()).toEqual(before);
    for (const name of ['file', 'b/file']) expect(await readFile(join(at.elsewhere, name), 'utf8')).toBe('untouched');
  });
});
