import { chmod, mkdir, open, readdir, realpath, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { FILE_LIMIT } from '../../src/main/tools/computer/files';
import { contextOf, prepare, quietIo, tempFolder } from '../main/tools/computer/helpers';

let workspace = '';
const at = (name: string) => join(workspace, name);
const boundOf = async (tool: string, input: unknown) => (await prepare(contextOf(workspace), tool, input)).bound;

beforeEach(async () => {
  workspace = await realpath(await tempFolder());
});

/** Whether a change of `script.sh` between the decision and the start would be noticed. */
async function notices(tool: string, input: unknown, file = 'script.sh'): Promise<boolean> {
  await writeFile(at(file), 'echo good\n');
  await chmod(at(file), 0o755);
  const before = await boundOf(tool, input);
  await writeFile(at(file), 'echo evil\n');
  return JSON.stringify(before) !== JSON.stringify(await boundOf(tool, input));
}

describe('what a decision about a command is bound to', () => {
  it('notices a large file that was rewritten in place with its size and time kept', async () => {
    const handle = await open(at('big'), 'w');
    await handle.truncate(FILE_LIMIT + 1);
    await handle.close();
    await chmod(at('big'), 0o755);
    const { atime, mtime } = await stat(at('big'));
    await utimes(at('big'), atime, mtime);
    const before = await boundOf('run_command', { argv: ['cat', 'big'] });
    const again = await open(at('big'), 'r+');
    await again.write('evil', 0);
    await again.close();
    await utimes(at('big'), atime, mtime);
    expect(await boundOf('run_command', { argv: ['cat', 'big'] })).not.toEqual(before);
  });

  it.each<[string, unknown]>([
    [
      'behind many other words',
      { command: `echo ${Array.from({ length: 500 }, (_, index) => `w${index}`).join(' ')}; ./script.sh` },
    ],
    ['spelled with quotes in its name', { command: "./scr''ipt.sh" }],
    ['spelled with a backslash', { command: './scr\\ipt.sh' }],
    ['in a folder that was changed to', { command: 'cd sub && ./script.sh' }],
    ['behind an equals sign', { command: 'A=./script.sh sh "$A"' }],
  ])('covers the script of a shell line: %s', async (_, input) => {
    await mkdir(at('sub'));
    expect(await notices('shell', input, JSON.stringify(input).includes('sub') ? 'sub/script.sh' : 'script.sh')).toBe(
      true,
    );
  });

  it('says no to a command with more words than can be looked at', async () => {
    const folders = Array.from({ length: 8 }, (_, index) => `folder${index}`);
    for (const folder of folders) await mkdir(at(folder));
    const words = Array.from({ length: 6_000 }, (_, index) => `w${index}`);
    await expect(boundOf('run_command', { argv: ['echo', ...folders, ...words] })).rejects.toThrow(/script/);
  });

  it.each<[string, string[]]>([
    ['an option with an equals sign', ['echo', '--config=script.sh']],
    ['a short option glued to it', ['echo', '-fscript.sh']],
    ['an at sign', ['echo', '@script.sh']],
    ['an option and an at sign', ['echo', '-d@script.sh']],
    ['a word with an equals sign', ['echo', 'if=script.sh']],
    ['a colon', ['echo', 'script.sh:/etc/x']],
    ['a shell inside', ['sh', '-c', 'exec ./script.sh']],
    ['a shell behind a wrapper', ['env', 'A=1', 'bash', '-ec', 'cd . && ./scr""ipt.sh']],
  ])('covers a file that an argument names: %s', async (_, argv) => {
    expect(await notices('run_command', { argv })).toBe(true);
  });
});

describe('a file tool', () => {
  it('makes no folder outside through a link that came to be on the way', async () => {
    const outside = await tempFolder();
    const prepared = await prepare(contextOf(workspace), 'write_file', { path: 'new/deep/file', content: 'x' });
    await symlink(outside, at('new'));
    expect((await prepared.execute(quietIo())).isError).toBe(true);
    expect(await readdir(outside)).toEqual([]);
  });
});
