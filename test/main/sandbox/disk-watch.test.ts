import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DiskWatch, reserveOf, type Shortage } from '../../../src/main/sandbox/disk-watch';
import { type Disk, mountDisk, NO_DISKS } from '../../support/disk';
import { canHang, hungMount } from '../../support/hung-mount';
import { tempFolder, until } from './helpers';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

describe('what is to stay free', () => {
  it.each([
    ['of a large disk', 1_000 * GIB, 500 * GIB, GIB],
    ['of a small one', 500 * MIB, 500 * MIB, 50 * MIB],
    ['of a large one that is nearly full', 1_000 * GIB, GIB, GIB / 2],
    ['of a small one that is nearly full', 500 * MIB, 10 * MIB, 5 * MIB],
    ['of a full one', 500 * MIB, 0, 0],
  ])('%s', (_, total, free, reserve) => {
    expect(reserveOf({ kind: 'space', total, free })).toBe(reserve);
  });

  it.each([
    ['where there are many', 1e8, 1e8, 10_000],
    ['where there are few', 5_000, 5_000, 500],
    ['where none are counted', 0, 0, 0],
  ])('in files, %s', (_, total, free, reserve) => {
    expect(reserveOf({ kind: 'files', total, free })).toBe(reserve);
  });
});

describe.runIf(NO_DISKS === null)('a watch over disks', () => {
  const undo: (() => void)[] = [];
  afterEach(() => {
    for (const step of undo.splice(0).reverse()) step();
  });

  function watched(folders: readonly string[]): Shortage[] {
    const told: Shortage[] = [];
    const watch = new DiskWatch(folders, (shortage) => told.push(shortage));
    undo.push(() => watch.stop());
    watch.start();
    return told;
  }

  /** A bit more at a time: what was free at the first look, whenever that is, goes below its half later. */
  async function fillSlowly(disk: Disk, isDone: () => boolean): Promise<void> {
    let free = 8 * MIB;
    await until(() => {
      free *= 0.95;
      disk.fill(Math.floor(free));
      return isDone();
    }, 'it is told');
  }

  it('tells once, however short it gets, and nothing once it is stopped', async () => {
    const disk = await mountDisk(8 * MIB);
    undo.push(() => disk.unmount());
    const told = watched([disk.path, disk.path, join(disk.path, '..')]);
    const stopped: Shortage[] = [];
    const other = new DiskWatch([disk.path], (shortage) => stopped.push(shortage));
    other.start();
    other.stop();
    await fillSlowly(disk, () => told.length > 0);
    disk.fill(0);
    expect(told).toEqual([{ path: disk.path, kind: 'space', reserve: expect.any(Number) }]);
    expect(stopped).toEqual([]);
  });

  it('finds what is mounted below, whatever its name', async () => {
    const folder = await tempFolder();
    const disk = await mountDisk(8 * MIB, { at: join(folder, 'a b\\c\n\td') });
    undo.push(() => disk.unmount());
    const told = watched([folder]);
    await fillSlowly(disk, () => told.length > 0);
    expect(told[0]?.path).toBe(disk.path);
  });

  it.runIf(canHang)('is not kept by one that never answers, nor by one that is gone', async () => {
    const [hung, disk] = [await tempFolder(), await mountDisk(8 * MIB)];
    undo.push(() => disk.unmount(), await hungMount(hung));
    const told = watched([hung, join(hung, '..', 'gone'), disk.path]);
    await fillSlowly(disk, () => told.length > 0);
    expect(told.map(({ path }) => path)).toEqual([disk.path]);
  });
});
