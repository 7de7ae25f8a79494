import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lacksGraphics } from '../../../src/main/desktop/graphics';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sayso-devices-'));
  await add('null');
});
afterEach(() => rm(folder, { recursive: true }));

async function add(name: string): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), '');
}

describe('drawing without a graphics device', () => {
  it('is told on Linux by there being none', async () => {
    expect(lacksGraphics('linux', folder)).toBe(true);
    for (const other of ['dri/card0', 'nvidiactl-of-another', 'fb0']) await add(other);
    expect(lacksGraphics('linux', folder)).toBe(true);
  });

  it.each(['dri/renderD128', 'nvidia0', 'dxg'])('is not done where there is %s', async (device) => {
    await add(device);
    expect(lacksGraphics('linux', folder)).toBe(false);
  });

  it('is left to Chromium on other systems, and where the devices cannot be told', () => {
    expect(lacksGraphics('darwin', folder)).toBe(false);
    expect(lacksGraphics('win32', folder)).toBe(false);
    expect(lacksGraphics('linux', join(folder, 'missing'))).toBe(false);
  });
});
