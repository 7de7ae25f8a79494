import { execFileSync, spawn } from 'node:child_process';
import { chmod, chown, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { bundle } from '../../sandbox/bundle';
import { STRANGER } from '../../sandbox/escape/try-all';
import { until } from '../../sandbox/helpers';
import { runAs } from './attacks/run-as';
import { call, contextOf, tempFolder } from './helpers';

const isRoot = process.getuid?.() === 0;
const FIXTURES = import.meta.dirname;
let workspace = '';
const at = (name: string): string => join(workspace, name);
const write = (path: string, content: string) => call(contextOf(workspace), 'write_file', { path, content });

beforeEach(async () => {
  workspace = await tempFolder();
});

describe('a file that is written', () => {
  it('loses what lets it run as somebody: new content has not earned that', async () => {
    await writeFile(at('tool'), 'old');
    await chmod(at('tool'), 0o6755);
    await write('tool', 'new');
    expect((await stat(at('tool'))).mode & 0o7777).toBe(0o755);
  });

  it.runIf(isRoot)('belongs to whom its folder belongs to, where it is new and the app is root’s', async () => {
    await chown(workspace, STRANGER, STRANGER + 1);
    await write('a/b/new', 'x');
    for (const path of ['a', 'a/b', 'a/b/new']) {
      const { uid, gid } = await stat(at(path));
      expect([path, uid, gid]).toEqual([path, STRANGER, STRANGER + 1]);
    }
    await chown(at('a/b/new'), 0, 0);
    await write('a/b/new', 'y');
    expect((await stat(at('a/b/new'))).uid).toBe(0);
  });

  it.runIf(isRoot)('is refused where it would change hands', async () => {
    await chmod(workspace, 0o777);
    for (const [name, uid, gid] of [
      ['of-another', 0, STRANGER],
      ['of-a-group', STRANGER, 0],
      ['own', STRANGER, STRANGER],
    ] as const) {
      await writeFile(at(name), 'old');
      await chmod(at(name), 0o666);
      await chown(at(name), uid, gid);
    }
    const given = { workspace, paths: ['of-another', 'of-a-group', 'own'] };
    const results = await runAs<string[]>(STRANGER, 'write-all.ts', JSON.stringify(given));
    expect(results).toEqual([
      expect.stringContaining('belongs to another user'),
      expect.stringContaining('belongs to a group'),
      'Wrote own: 3 bytes.',
    ]);
    expect(await readFile(at('of-another'), 'utf8')).toBe('old');
  });
});

describe('a write that fails', () => {
  it.runIf(isRoot)('leaves nothing: no half file, no folder that it made', async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'none', workspace]);
    try {
      await write('kept', 'old');
      const content = 'x'.repeat(1_000_000);
      expect(await write('a/b/new', content)).toMatchObject({
        isError: true,
        content: expect.stringContaining('space'),
      });
      expect(await write('kept', content)).toMatchObject({ isError: true });
      expect(await readdir(workspace)).toEqual(['kept']);
      expect(await readFile(at('kept'), 'utf8')).toBe('old');
    } finally {
      execFileSync('umount', [workspace]);
    }
  });
});

describe('an app that is killed while it writes', () => {
  const leftovers = async (): Promise<string[]> =>
    (await readdir(workspace)).filter((name) => name.startsWith('.sayso-')).sort();

  it('leaves the old file or the new one, and one name that the next write there takes away', async () => {
    const script = await bundle('write-for-ever.ts', await tempFolder(), FIXTURES);
    const contents = ['a', 'b'].map((letter) => letter.repeat(8 * 1024 * 1024));
    await writeFile(at('file'), contents[0] ?? '');
    for (let kills = 1; kills <= 8; kills += 1) {
      const before = await leftovers();
      const writer = spawn(process.execPath, [script, workspace], { stdio: 'inherit' });
      const ended = new Promise((resolve) => writer.on('exit', resolve));
      await until(async () => (await leftovers()).length > before.length, 'it writes');
      writer.kill('SIGKILL');
      await ended;
      expect((await leftovers()).length - before.length).toBeLessThanOrEqual(1);
      expect(contents).toContain(await readFile(at('file'), 'utf8'));
    }
    expect((await readdir(workspace)).filter((name) => name !== 'file')).toEqual(await leftovers());
    // One is as if it were still written, and a file of somebody else is none of ours.
    const [young, ...old] = await leftovers();
    if (young === undefined || old.length === 0) throw new Error('no kill met a write');
    await writeFile(at('.sayso-mine.tmp'), '');
    const hoursAgo = Date.now() / 1_000 - 7_200;
    for (const name of [...old, '.sayso-mine.tmp']) await utimes(at(name), hoursAgo, hoursAgo);
    await write('other', 'x');
    expect(await leftovers()).toEqual([young, '.sayso-mine.tmp'].sort());
  });
});

describe('a folder that is deleted', () => {
  it('may be nested deep, but not without end; then it is refused before anything is gone', async () => {
    const nest = async (name: string, depth: number): Promise<void> => {
      await mkdir(at(`${name}/${'d/'.repeat(depth)}`), { recursive: true });
      await writeFile(at(`${name}/first`), '');
    };
    await nest('deep', 150);
    await nest('deeper', 300);
    await call(contextOf(workspace), 'delete', { path: 'deep', recursive: true });
    const refused = call(contextOf(workspace), 'delete', { path: 'deeper', recursive: true });
    await expect(refused).rejects.toThrow('nested too deep');
    expect(await readdir(workspace)).toEqual(['deeper']);
    expect(await readdir(at('deeper'))).toContain('first');
    const { content } = await call(contextOf(workspace), 'list_dir', { path: '.', recursive: true });
    expect(content).toContain('nested too deep');
  });
});
