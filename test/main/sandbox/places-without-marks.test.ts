import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { holdPlaces, inTurn } from '../../../src/main/sandbox/bwrap/placeholders';
import { tempFolder } from './helpers';

// A file system that keeps neither modes nor times (FAT, and a disk of Windows seen from Linux) cannot be had in tests: here
// no mark is found, whatever was made.
vi.mock('../../../src/main/sandbox/bwrap/place-marks', async (original) => ({
  ...(await original<object>()),
  isMarked: () => false,
  heldBy: async () => null,
}));

describe.skipIf(process.platform !== 'linux')('where a file system keeps no marks', () => {
  it('nothing holds a place, and nothing is left', async () => {
    const [workspace, unseen] = [await tempFolder(), await tempFolder()];
    await mkdir(join(workspace, 'sub'));
    const nothing = new Map(['.git', '.env', 'sub/kept', 'n'.repeat(200)].map((name) => [join(workspace, name), null]));
    const places = await inTurn(() =>
      holdPlaces([workspace], ['n'.repeat(200)], nothing, { unseen, tracked: async () => new Set() }),
    );
    expect(places.paths).toEqual([]);
    expect(await readdir(workspace)).toEqual(['sub']);
    expect(await readdir(unseen)).toEqual([]);
  });
});
