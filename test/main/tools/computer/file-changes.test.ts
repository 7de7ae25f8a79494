import { chmod, chown, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { FILE_LIMIT, sha256 } from '../../../../src/main/tools/computer/files';
import { call, contextOf, prepare, quietIo, tempFolder } from './helpers';

let workspace = '';
const at = (name: string) => join(workspace, name);
const text = (name: string) => readFile(at(name), 'utf8');
const run = (tool: string, input: unknown) => call(contextOf(workspace), tool, input);
const look = (tool: string, input: unknown) => prepare(contextOf(workspace), tool, input);

beforeEach(async () => {
  workspace = await tempFolder();
});

describe('write_file', () => {
  it('creates a file with its missing parents, and says so before', async () => {
    const prepared = await look('write_file', { path: 'a/b/new.txt', content: 'one\ntwo\n' });
    expect(prepared.preview).toEqual({
      kind: 'file',
      path: 'a/b/new.txt',
      created: true,
      added: 2,
      removed: 0,
      diff: '@@ -0,0 +1,2 @@\n+one\n+two',
      omittedLines: 0,
      bytesAfter: 8,
    });
    expect(prepared.bound).toEqual({ before: 'absent', after: sha256(Buffer.from('one\ntwo\n')) });
    expect(prepared.command).toEqual(['write_file', 'a/b/new.txt']);
    expect(await readdir(workspace)).toEqual([]);
    expect(await prepared.execute(quietIo())).toEqual({ content: 'Created a/b/new.txt: 8 bytes.', isError: false });
    expect(await text('a/b/new.txt')).toBe('one\ntwo\n');
  });

  it('replaces a file in one step and leaves nothing else behind', async () => {
    await writeFile(at('f'), 'old\n');
    const before = await stat(at('f'));
    await run('write_file', { path: 'f', content: 'new\n' });
    expect(await text('f')).toBe('new\n');
    expect((await stat(at('f'))).ino).not.toBe(before.ino);
    expect(await readdir(workspace)).toEqual(['f']);
  });

  it('keeps the mode and, for root, the owner', async () => {
    await writeFile(at('f'), 'old');
    await chmod(at('f'), 0o751);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) await chown(at('f'), 12_345, 23_456);
    await run('write_file', { path: 'f', content: 'new' });
    const { mode, uid, gid } = await stat(at('f'));
    expect(mode & 0o7777).toBe(0o751);
    if (isRoot) expect([uid, gid]).toEqual([12_345, 23_456]);
  });

  it('appends, also to a file that does not exist yet', async () => {
    await run('write_file', { path: 'f', content: 'a\n', append: true });
    const prepared = await look('write_file', { path: 'f', content: 'b\n', append: true });
    expect(prepared.preview).toMatchObject({ created: false, added: 1, removed: 0, diff: '@@ -1,1 +1,2 @@\n a\n+b' });
    await prepared.execute(quietIo());
    expect(await text('f')).toBe('a\nb\n');
  });

  it('refuses when the file changed, appeared or went since it was shown', async () => {
    await writeFile(at('changed'), 'old');
    await writeFile(at('gone'), 'old');
    const context = contextOf(workspace);
    const calls = await Promise.all(
      ['changed', 'gone', 'appeared'].map((path) => prepare(context, 'write_file', { path, content: 'new' })),
    );
    await writeFile(at('changed'), 'meanwhile');
    await writeFile(at('appeared'), 'meanwhile');
    await call(context, 'delete', { path: 'gone' });
    for (const prepared of calls) {
      const outcome = await prepared.execute(quietIo());
      expect(outcome).toMatchObject({ isError: true, content: expect.stringContaining('has changed since') });
    }
    expect([await text('changed'), await text('appeared')]).toEqual(['meanwhile', 'meanwhile']);
    expect((await readdir(workspace)).sort()).toEqual(['appeared', 'changed']);
  });

  it('refuses when a folder on the way was replaced by a link since it was shown', async () => {
    const outside = await tempFolder();
    const prepared = await look('write_file', { path: 'sub/f', content: 'new' });
    await symlink(outside, at('sub'));
    expect(await prepared.execute(quietIo())).toMatchObject({ isError: true });
    expect(await readdir(outside)).toEqual([]);
  });

  it('never writes through a link, not even one that leads inside', async () => {
    await writeFile(at('real'), 'old');
    await symlink('real', at('link'));
    await expect(look('write_file', { path: 'link', content: 'x' })).rejects.toThrow('through a link');
    await expect(look('edit_file', { path: 'link', oldString: 'old', newString: 'x' })).rejects.toThrow(
      'through a link',
    );
  });

  it('refuses a folder, and what would become too large', async () => {
    await mkdir(at('folder'));
    await expect(look('write_file', { path: 'folder', content: '' })).rejects.toThrow('is a folder');
    await expect(look('write_file', { path: 'new/', content: '' })).rejects.toThrow('names a folder');
    await writeFile(at('large'), Buffer.alloc(FILE_LIMIT));
    await expect(look('write_file', { path: 'large', content: 'x', append: true })).rejects.toThrow('too large');
  });

  it('does nothing once it was stopped', async () => {
    const prepared = await look('write_file', { path: 'f', content: 'x' });
    await expect(prepared.execute(quietIo({ signal: AbortSignal.abort() }))).rejects.toThrow();
    expect(await readdir(workspace)).toEqual([]);
  });

  it('gives the same preview and binding again while nothing changed', async () => {
    await writeFile(at('f'), 'one\ntwo\n');
    const input = { path: 'f', content: 'one\n2\n' };
    const [a, b] = [await look('write_file', input), await look('write_file', input)];
    expect([a.preview, a.bound, a.command]).toEqual([b.preview, b.bound, b.command]);
  });
});

describe('edit_file', () => {
  const edit = (oldString: string, newString: string, replaceAll?: boolean) =>
    run('edit_file', { path: 'f', oldString, newString, ...(replaceAll === undefined ? {} : { replaceAll }) });

  it.each<[string, string, string, string, boolean | undefined, string]>([
    ['one occurrence', 'a b c', 'b', 'B', undefined, 'a B c'],
    ['all of them', 'x y x', 'x', 'z', true, 'z y z'],
    ['literally, whatever the replacement looks like', 'a b c', 'b', "$& $1 $' $$", undefined, "a $& $1 $' $$ c"],
    ['by nothing', 'a b c', ' b', '', undefined, 'a c'],
    ['with line ends as they are', 'a\r\nb\r\nc\n', 'b\r\n', 'B\r\n', undefined, 'a\r\nB\r\nc\n'],
    ['with a byte order mark as it is', '\ufeffa\n', 'a', 'b', undefined, '\ufeffb\n'],
    ['without a last line end', 'a\nb', 'b', 'c', undefined, 'a\nc'],
  ])('replaces %s', async (_, before, oldString, newString, replaceAll, after) => {
    await writeFile(at('f'), before);
    expect((await edit(oldString, newString, replaceAll)).isError).toBe(false);
    expect(await text('f')).toBe(after);
  });

  it.each<[string, string | Buffer, string, string, string]>([
    ['a text that is missing', 'a b c', 'x', 'y', 'does not occur'],
    ['a text that is ambiguous', 'a b a', 'a', 'y', 'more than once'],
    ['a text that overlaps itself', 'aaa', 'aa', 'y', 'more than once'],
    ['a text that would not change', 'a b c', 'b', 'b', 'nothing would change'],
    ['an empty text', 'a b c', '', 'y', 'oldString'],
    ['line ends that differ, with a hint', 'a\r\nb\r\n', 'a\nb', 'y', 'CRLF'],
    ['a binary file', Buffer.from([0x61, 0, 0x62]), 'a', 'y', 'not UTF-8 text'],
    ['a file that is not UTF-8', Buffer.from([0x61, 0xff, 0x62]), 'a', 'y', 'not UTF-8 text'],
  ])('refuses %s, and the file stays as it was', async (_, before, oldString, newString, message) => {
    await writeFile(at('f'), before);
    await expect(edit(oldString, newString)).rejects.toThrow(message);
    expect(await readFile(at('f'))).toEqual(Buffer.from(before));
  });

  it('refuses a file that does not exist', async () => {
    await expect(edit('a', 'b')).rejects.toThrow('Use write_file');
  });
});
