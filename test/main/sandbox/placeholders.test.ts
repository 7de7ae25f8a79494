import { execFileSync, spawnSync } from 'node:child_process';
import { appendFile, chmod, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { lookDown } from '../../../src/main/sandbox/bwrap/look-down';
import {
  type HeldPlaces,
  holdPlaces,
  inTurn,
  removeLeft,
  takeAwayIdle,
} from '../../../src/main/sandbox/bwrap/placeholders';
import { protectedPaths } from '../../../src/main/sandbox/reach/protected';
import { tempFolder } from './helpers';

/** As in a folder without a repository. */
const tracked = async (): Promise<ReadonlySet<string>> => new Set();

const NAMES = ['.env', '.envrc', '.git', '.idea', '.mcp.json', '.vscode'];

/** Root of a machine may; root of a container often may not. */
const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0 && process.getuid?.() === 0;

async function hold(workspace: string, protect: readonly string[] = []): Promise<HeldPlaces> {
  const unseen = await tempFolder();
  const git = ['.git', '.git/hooks', '.git/config'].map((name) => join(workspace, name));
  const paths = [...git, ...protectedPaths(workspace, [], protect)];
  return inTurn(async () => holdPlaces([workspace], protect, await lookDown([workspace], paths), { unseen, tracked }));
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).sort();
}

async function letGo(places: HeldPlaces): Promise<void> {
  places.letGo();
  await takeAwayIdle();
}

describe.skipIf(process.platform !== 'linux')('what holds the places of protected paths', () => {
  it('is shared, and goes with the last that needs it', async () => {
    const workspace = await tempFolder();
    const [first, second] = [await hold(workspace), await hold(workspace)];
    expect([first.isNew, second.isNew]).toEqual([true, false]);
    await letGo(first);
    expect(await namesIn(workspace)).toEqual(NAMES);
    await letGo(second);
    expect(await namesIn(workspace)).toEqual([]);
  });

  it('stays a while for the next one, and goes by itself then', async () => {
    const workspace = await tempFolder();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const first = await hold(workspace);
    first.letGo();
    await vi.advanceTimersByTimeAsync(59_000);
    const second = await hold(workspace);
    expect(second.isNew).toBe(false);
    await vi.advanceTimersByTimeAsync(120_000);
    await inTurn(async () => undefined);
    expect(await namesIn(workspace)).toEqual(NAMES);
    second.letGo();
    await vi.advanceTimersByTimeAsync(60_000);
    await inTurn(async () => undefined);
    expect(await namesIn(workspace)).toEqual([]);
  });

  it('is put in no place that is taken, and takes away nothing of others', async () => {
    const workspace = await tempFolder();
    await mkdir(join(workspace, '.vscode'));
    await writeFile(join(workspace, '.env'), '');
    await mkdir(join(workspace, '.git'));
    await writeFile(join(workspace, '.git', 'config'), '');
    const places = await hold(workspace);
    expect(places.paths.map((path) => path.slice(workspace.length + 1)).sort()).toEqual([
      '.envrc',
      '.git/hooks',
      '.idea',
      '.mcp.json',
    ]);
    // Somebody outside puts something of their own there meanwhile.
    await rm(join(workspace, '.idea'));
    await mkdir(join(workspace, '.idea'));
    await chmod(join(workspace, '.git/hooks'), 0o755);
    await writeFile(join(workspace, '.git/hooks/pre-commit'), 'theirs');
    await writeFile(join(workspace, 'new'), 'theirs');
    await rename(join(workspace, 'new'), join(workspace, '.envrc'));
    await letGo(places);
    expect(await namesIn(workspace)).toEqual(['.env', '.envrc', '.git', '.idea', '.vscode']);
    expect(await readFile(join(workspace, '.envrc'), 'utf8')).toBe('theirs');
    expect(await namesIn(join(workspace, '.git'))).toEqual(['config', 'hooks']);
  });

  it('is put there anew where it was taken away, and then belongs to who comes later', async () => {
    const workspace = await tempFolder();
    const first = await hold(workspace);
    for (const name of NAMES) await rm(join(workspace, name), { recursive: true });
    const second = await hold(workspace);
    expect(second.isNew).toBe(true);
    // The same inode may be given to what is made anew.
    await letGo(first);
    expect(await namesIn(workspace)).toEqual(NAMES);
    await letGo(second);
    expect(await namesIn(workspace)).toEqual([]);
  });

  it('has no place in a folder that is not there, in what is closed, nor in another that holds a place', async () => {
    const workspace = await tempFolder();
    await mkdir(join(workspace, 'closed'));
    const places = await hold(workspace, ['kept', 'kept/deep', 'missing/deep', '../beside', 'closed', 'closed/in']);
    expect(await namesIn(workspace)).toEqual([...NAMES, 'closed', 'kept'].sort());
    expect(await namesIn(join(workspace, 'closed'))).toEqual([]);
    expect((await lstat(join(workspace, 'kept'))).isSocket()).toBe(true);
    await letGo(places);
    expect(await namesIn(workspace)).toEqual(['closed']);
  });

  it('is a folder where no socket can be', async () => {
    const workspace = await tempFolder();
    const name = 'n'.repeat(200);
    const places = await hold(workspace, [name]);
    expect((await lstat(join(workspace, name))).isDirectory()).toBe(true);
    await letGo(places);
    expect(await namesIn(workspace)).toEqual([]);
  });

  it('leaves a socket of somebody else where it is', async () => {
    const workspace = await tempFolder();
    const server = createServer();
    await new Promise<void>((done) => void server.listen(resolve(workspace, 'theirs'), done));
    onTestFinished(() => void server.close());
    const places = await hold(workspace, ['theirs']);
    expect(places.paths).not.toContain(join(workspace, 'theirs'));
    await letGo(places);
    await removeLeft(workspace);
    expect(await namesIn(workspace)).toEqual(['theirs']);
  });

  it.runIf(canMount)('keeps the command from starting where there is no room for it, and leaves nothing', async () => {
    const workspace = await tempFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'nr_inodes=3', 'none', workspace]);
    try {
      await expect(hold(workspace)).rejects.toThrow('cannot be kept from being made: ');
      await takeAwayIdle();
      expect(await namesIn(workspace)).toEqual([]);
    } finally {
      execFileSync('umount', [workspace]);
    }
  });

  it('leaves what somebody wrote into it, at the end as at the next start, whatever mode it has', async () => {
    const workspace = await tempFolder();
    const config = join(workspace, '.git/config');
    await mkdir(join(workspace, '.git'));
    const places = await hold(workspace);
    // As git does, which makes the new one with the mode of the old.
    await writeFile(`${config}.lock`, 'theirs', { mode: 0o1444 });
    await chmod(`${config}.lock`, 0o1444);
    await rename(`${config}.lock`, config);
    await letGo(places);
    await removeLeft(workspace);
    expect(await readFile(config, 'utf8')).toBe('theirs');
    await rm(config);
    const again = await hold(workspace);
    await chmod(config, 0o1644);
    await appendFile(config, 'added');
    await chmod(config, 0o1444);
    await letGo(again);
    await removeLeft(workspace);
    expect(await readFile(config, 'utf8')).toBe('added');
  });

  it('is no file that a command made to look like one', async () => {
    const workspace = await tempFolder();
    await writeFile(join(workspace, 'kept'), '');
    await chmod(join(workspace, 'kept'), 0o1444);
    const places = await hold(workspace, ['kept']);
    expect(places.paths).not.toContain(join(workspace, 'kept'));
    await letGo(places);
    expect(await namesIn(workspace)).toEqual(['kept']);
  });

  it('is taken away at the next start where an app was killed, but for what is needed, and what is not ours', async () => {
    const [killed, working] = [await tempFolder(), await tempFolder()];
    await mkdir(join(killed, '.git'));
    // As it is where no app knows of it any more.
    await hold(killed, ['kept']);
    const left = join(await tempFolder(), 'moved');
    await rename(killed, left);
    await mkdir(join(left, 'src'));
    await rm(join(left, '.idea'));
    await mkdir(join(left, '.idea'));
    await removeLeft(left);
    expect(await namesIn(left)).toEqual(['.git', '.idea', 'src']);
    expect(await namesIn(join(left, '.git'))).toEqual([]);

    const places = await hold(working);
    await removeLeft(working);
    expect(await namesIn(working)).toEqual(NAMES);
    await letGo(places);
  });
});
