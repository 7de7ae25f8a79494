import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { explainUnresolved, resolveProgram } from '../../../src/main/sandbox/program';
import { run, tempFolder } from './helpers';

let cwd = '';
const executable = async (path: string) => {
  await writeFile(path, `#!/bin/sh\necho ${path}\n`);
  await chmod(path, 0o755);
};

beforeEach(async () => {
  cwd = await tempFolder();
  for (const folder of ['a', 'b', 'a/folder']) await mkdir(join(cwd, folder));
  await executable(join(cwd, 'b/tool'));
  await executable(join(cwd, 'b/folder'));
  await executable(join(cwd, 'here'));
  await writeFile(join(cwd, 'a/tool'), 'not executable');
  await symlink('b/tool', join(cwd, 'link'));
  await symlink('nowhere', join(cwd, 'dangling'));
});

const find = (name: string, path?: string) =>
  resolveProgram(name, { cwd, environment: path === undefined ? {} : { PATH: path } });

describe('the program of a command', () => {
  it.each<[string, string, string | undefined, string | null]>([
    ['the first executable on the PATH, past one that is not', 'tool', 'CWD/a:CWD/b', 'b/tool'],
    ['past a folder of that name', 'folder', 'CWD/a:CWD/b', 'b/folder'],
    ['past folders that do not exist', 'tool', '/nonexistent:CWD/b', 'b/tool'],
    ['in the current folder for an empty element', 'here', 'CWD/a:', 'here'],
    ['relative elements from the folder of the command', 'tool', 'b', 'b/tool'],
    ['not in the current folder otherwise', 'here', 'CWD/a', null],
    ['a relative path, whatever the PATH', './here', 'CWD/a', 'here'],
    ['a path with a folder', 'b/tool', '', 'b/tool'],
    ['a link as a link', './link', '', 'link'],
    ['no dangling link', './dangling', '', null],
    ['no empty name', '', 'CWD/b', null],
    ['no name with NUL', 'to\0ol', 'CWD/b', null],
    ['nothing that is not there', 'no-such-program', 'CWD/a:CWD/b', null],
  ])('is found: %s', async (_, name, path, expected) => {
    const found = await find(name, path?.replaceAll('CWD', cwd));
    expect(found).toBe(expected === null ? null : join(cwd, expected));
  });

  it('is looked for in the system folders where there is no PATH', async () => {
    expect(await find('sh')).toMatch(/^\/(usr\/)?bin\/sh$/);
  });

  it('is the one that really runs', async () => {
    const environment = { PATH: `${cwd}/a:${cwd}/b` };
    const { output } = await run(['tool'], { cwd, environment });
    expect(output.trim()).toBe(await resolveProgram('tool', { cwd, environment }));
  });

  it('is explained where there is none', async () => {
    const why = (name: string) => explainUnresolved(name, { cwd, environment: { PATH: `${cwd}/a` } });
    expect(await why('tool')).toContain('not an executable file');
    expect(await why('folder')).toContain('is a folder');
    expect(await why('missing')).toContain('no such program on the PATH');
    expect(await why('./missing')).toContain('no such file');
  });
});
