import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { placeMissing, releasePlaced, removeLeft } from '../../../src/main/sandbox/bwrap/placeholders';
import { tempFolder } from './helpers';

const NAMES = ['.env', '.envrc', '.git', '.idea', '.mcp.json', '.vscode'];

const placeIn = (workspace: string, more: readonly string[] = []) =>
  placeMissing([workspace], more, Promise.resolve(new Map()), false);
const namesIn = async (folder: string) => (await readdir(folder)).sort();

describe.skipIf(process.platform !== 'linux')('what holds the places of protected paths', () => {
  it('is shared, and goes with the last that needs it', async () => {
    const workspace = await tempFolder();
    const [first, second] = [await placeIn(workspace), await placeIn(workspace)];
    await releasePlaced([workspace], first, false);
    expect(await namesIn(workspace)).toEqual(NAMES);
    await releasePlaced([workspace], second, false);
    expect(await namesIn(workspace)).toEqual([]);
  });

  it('is put in no place that is taken, and takes away nothing of others', async () => {
    const workspace = await tempFolder();
    await mkdir(join(workspace, '.vscode'));
    await writeFile(join(workspace, '.env'), '');
    await mkdir(join(workspace, '.git'));
    await writeFile(join(workspace, '.git', 'config'), '');
    const placed = await placeIn(workspace);
    expect(placed.map((path) => path.slice(workspace.length + 1)).sort()).toEqual([
      '.envrc',
      '.git/hooks',
      '.idea',
      '.mcp.json',
    ]);
    // Somebody outside puts something of their own there meanwhile.
    await chmod(join(workspace, '.idea'), 0o755);
    await writeFile(join(workspace, '.idea', 'mine'), '');
    await releasePlaced([workspace], placed, false);
    expect(await namesIn(workspace)).toEqual(['.env', '.git', '.idea', '.vscode']);
    expect(await namesIn(join(workspace, '.git'))).toEqual(['config']);
  });

  it('has no place in a folder that is not there, nor in another that holds a place', async () => {
    const workspace = await tempFolder();
    const placed = await placeIn(workspace, ['kept', 'kept/deep', 'missing/deep', '../beside']);
    expect(await namesIn(workspace)).toEqual([...NAMES, 'kept'].sort());
    expect(await namesIn(join(workspace, 'kept'))).toEqual([]);
    await releasePlaced([workspace], placed, false);
    expect(await namesIn(workspace)).toEqual([]);
  });

  it('is taken away at the next start where an app was killed, but for what is needed, and what is not ours', async () => {
    const [killed, working] = [await tempFolder(), await tempFolder()];
    await mkdir(join(killed, '.git'));
    await mkdir(join(killed, '.git/hooks'), 0o1555);
    await writeFile(join(killed, '.git/config'), '', { mode: 0o1444 });
    await mkdir(join(killed, '.env'), 0o1555);
    await mkdir(join(killed, '.idea'));
    await mkdir(join(killed, '.vscode'), 0o1755);
    await mkdir(join(killed, '.vscode/theirs'));
    await chmod(join(killed, '.vscode'), 0o1555);
    await removeLeft(killed);
    expect(await namesIn(killed)).toEqual(['.git', '.idea', '.vscode']);
    expect(await namesIn(join(killed, '.git'))).toEqual([]);

    const placed = await placeIn(working);
    await removeLeft(working);
    expect(await namesIn(working)).toEqual(NAMES);
    await releasePlaced([working], placed, false);
  });
});
