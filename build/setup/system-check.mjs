import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { SetupError, say } from './report.mjs';
import { capture } from './run.mjs';

/** @param {string} program */
export function isOnPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * @param {string} lddOutput
 * @returns {string[]} names of the shared libraries that the loader does not find
 */
export function missingLibraries(lddOutput) {
  return lddOutput
    .split('\n')
    .filter((line) => line.includes('=> not found'))
    .map((line) => line.trim().split(' ')[0] ?? '');
}

/** A Linux without a display server gets a virtual one. */
export function needsVirtualDisplay() {
  return process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY;
}

/**
 * Says what this Linux lacks, whichever distribution it is: fails for what the app cannot start without.
 * @param {string} electron path of the executable
 */
export async function checkSystem(electron) {
  if (process.platform !== 'linux') return;
  const missing = missingLibraries((await capture('ldd', [electron])).stdout);
  if (missing.length > 0) {
    throw new SetupError(
      `Electron cannot start: these shared libraries are missing: ${missing.join(', ')}.`,
      'install them with the package manager. On Debian and Ubuntu: sudo apt-get install libgtk-3-0 libnss3 ' +
        'libasound2 libgbm1 libxss1 libatk-bridge2.0-0 libdrm2 (newer releases add t64 to some of the names).',
    );
  }
  if (needsVirtualDisplay() && !isOnPath('Xvfb')) {
    throw new SetupError(
      'There is no display (neither DISPLAY nor WAYLAND_DISPLAY is set), and no Xvfb to make a virtual one.',
      'run this in a desktop session, or install Xvfb (on Debian and Ubuntu: sudo apt-get install xvfb).',
    );
  }
  if (!isOnPath('bwrap')) {
    say('bubblewrap is not installed: commands run with weaker protection. Install it with the package manager.');
  }
}
