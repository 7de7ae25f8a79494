import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A driver of the kernel's that draws, NVIDIA's own, and that of Windows under WSL. A screen alone (card0) cannot. */
const DEVICES = /^(?:dri\/renderD\d+|nvidia\d+|dxg)$/;

/**
 * Whether Chromium has to draw without a graphics device. Left to itself it learns that from a GPU process that fails
 * while the window is being made; the window's first frame is then sometimes asked of the process that is gone, and never
 * comes: an empty window.
 * @param folder the one that has the devices
 */
export function lacksGraphics(platform: NodeJS.Platform, folder = '/dev'): boolean {
  if (platform !== 'linux') return false;
  try {
    const names = readdirSync(folder);
    const drivers = names.includes('dri') ? readdirSync(join(folder, 'dri')).map((name) => `dri/${name}`) : [];
    return ![...names, ...drivers].some((name) => DEVICES.test(name));
  } catch {
    return false;
  }
}
