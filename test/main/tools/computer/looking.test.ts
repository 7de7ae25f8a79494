import { execFileSync } from 'node:child_process';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { lookDown } from '../../../../src/main/sandbox/bwrap/look-down';
import { holdPlaces, inTurn, takeAwayIdle } from '../../../../src/main/sandbox/bwrap/placeholders';
import { FILE_LIMIT } from '../../../../src/main/tools/computer/files';
import { excerpt, READ_LENGTH } from '../../../../src/main/tools/computer/read-file';
import { call, contextOf, prepare, tempFolder } from './helpers';

let workspace = '';
const at = (name: string) => join(workspace, name);
const run = async (tool: string, input: unknown) => (await call(contextOf(workspace), tool, input)).content;

beforeEach(async () => {
  workspace = await tempFolder();
});

describe('list_dir', () => {
  beforeEach(async () => {
    for (const folder of ['b/c', '.git/objects', 'empty']) await mkdir(at(folder), { recursive: true });
    for (const file of ['z', 'B', 'a', 'b/2', 'b/c/3', '.git/HEAD']) await writeFile(at(file), '');
    await symlink('b', at('link'));
    await symlink('/etc', at('etc'));
    execFileSync('mkfifo', [at('pipe')]);
  });

  it('lists a folder in a fixed order with folders, links and pipes marked', async () => {
    const expected = ['.git/', 'B', 'a', 'b/', 'empty/', 'etc -> /etc', 'link -> b', 'pipe (pipe)', 'z'];
    expect((await run('list_dir', { path: '.' })).split('\n')).toEqual(expected);
  });

  it.runIf(process.platform === 'linux')(
    'shows nothing where something only holds the place of what is missing',
    async () => {
      const [folder, unseen] = [await tempFolder(), await tempFolder()];
      await writeFile(join(folder, 'file'), '');
      const places = await inTurn(async () =>
        holdPlaces([folder], [], await lookDown([folder], [join(folder, '.git')]), {
          unseen,
          tracked: async () => new Set(),
        }),
      );
      try {
        expect(await readdir(folder)).toEqual(expect.arrayContaining(['.env', '.git']));
        const { content } = await call(contextOf(folder), 'list_dir', { path: '.', recursive: true });
        expect(content).toBe('file');
        await expect(call(contextOf(folder), 'read_file', { path: '.env' })).rejects.toThrow('there is no such file');
      } finally {
        places.letGo();
        await takeAwayIdle();
      }
    },
  );

  it('goes into folders when asked, but not into .git and not through links', async () => {
    const lines = (await run('list_dir', { path: '.', recursive: true })).split('\n');
    expect(lines).toEqual(expect.arrayContaining(['.git/', 'b/2', 'b/c/', 'b/c/3', 'etc -> /etc']));
    expect(lines).toHaveLength(12);
  });

  it('stops at its limit and says so', async () => {
    const lines = (await run('list_dir', { path: '.', recursive: true, limit: 3 })).split('\n');
    expect(lines.slice(0, 3)).toEqual(['.git/', 'B', 'a']);
    expect(lines[3]).toContain('cut at 3 entries');
    expect(await run('list_dir', { path: 'b', limit: 2 })).toBe('2\nc/');
  });

  it('says so where a folder is empty, missing or a file', async () => {
    expect(await run('list_dir', { path: 'empty' })).toBe('[The folder is empty.]');
    await expect(run('list_dir', { path: 'missing' })).rejects.toThrow('no such folder');
    await expect(run('list_dir', { path: 'a' })).rejects.toThrow('not a folder');
  });
});

describe('read_file', () => {
  it('gives a file exactly as it stands', async () => {
    for (const content of ['a\r\nb', '\ufeffa\n', 'ü😀\n\n', ' ']) {
      await writeFile(at('f'), content);
      expect(await run('read_file', { path: 'f' })).toBe(content);
    }
  });

  it('gives the lines asked for, and says which they are', async () => {
    await writeFile(at('f'), '1\n2\n3\n4\n5\n');
    const read = (startLine?: number, endLine?: number) => run('read_file', { path: 'f', startLine, endLine });
    expect(await read(2, 3)).toBe('[Lines 2 to 3 of 5.]\n2\n3\n');
    expect(await read(4)).toBe('[Lines 4 to 5 of 5.]\n4\n5\n');
    expect(await read(1, 99)).toBe('1\n2\n3\n4\n5\n');
    await expect(read(3, 2)).rejects.toThrow('stands before');
    expect(await read(6)).toBe('The file has only 5 lines.');
  });

  it('cuts a long file at a line and says where to read on', () => {
    const text = `${'x'.repeat(999)}\n`.repeat(200);
    const cut = excerpt(text, 1, 1_000);
    expect(cut).toContain('[Lines 1 to 65 of 200. Cut at 65536 characters: read on with startLine 66.]\n');
    expect(cut.length).toBeLessThan(READ_LENGTH + 100);
    expect(excerpt(text, 66, 70)).toMatch(/^\[Lines 66 to 70 of 200\.\]\nx/);
  });

  it('cuts a line that is too long, never in a character', () => {
    const line = `x${'😀'.repeat(40_000)}`;
    const cut = excerpt(`${line}\nend\n`, 1, 9);
    expect(cut).toMatch(
      /^\[Line 1 of 2, of which \d+ characters at its end are left out\. Read on with startLine 2\.\]\n/,
    );
    expect(cut).not.toMatch(/[\ud800-\udbff]$/);
  });

  it('says what is no text, not UTF-8, empty or too large', async () => {
    await writeFile(at('binary'), Buffer.from([0x7f, 0x45, 0, 1]));
    await writeFile(at('latin'), Buffer.from([0x66, 0xfc, 0x72]));
    await writeFile(at('empty'), '');
    await writeFile(at('large'), Buffer.alloc(FILE_LIMIT + 1, 'x'));
    expect(await run('read_file', { path: 'binary' })).toBe('[binary is not text: 4 bytes.]');
    expect(await run('read_file', { path: 'latin' })).toBe('[What is not valid UTF-8 is shown as U+FFFD.]\nf\ufffdr');
    expect(await run('read_file', { path: 'empty' })).toBe('[The file is empty.]');
    const large = await call(contextOf(workspace), 'read_file', { path: 'large' });
    expect(large).toMatchObject({ isError: true, content: expect.stringContaining('too large') });
  });

  it('is shown with its arguments in order', async () => {
    await writeFile(at('f'), 'x');
    const { preview, command } = await prepare(contextOf(workspace), 'read_file', { endLine: 2, path: './f' });
    expect(preview).toEqual({
      kind: 'arguments',
      rows: [
        { name: 'path', value: './f' },
        { name: 'endLine', value: '2' },
      ],
    });
    expect(command).toEqual(['read_file', 'f']);
  });
});

describe('computer_info', () => {
  it('tells the machine and nothing of its owner', async () => {
    const info = JSON.parse(await run('computer_info', {}));
    expect(info).toMatchObject({ platform: process.platform, workspace, sandbox: 'process only' });
    expect(JSON.stringify({ ...info, workspace: '' })).not.toContain(process.env.HOME ?? '?');
  });
});
