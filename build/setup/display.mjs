import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { SetupError, say } from './report.mjs';
import { isOnPath, needsVirtualDisplay } from './system-check.mjs';

const START_LIMIT_MS = 15_000;

/**
 * @typedef {object} Display
 * @property {boolean} isVirtual
 * @property {() => Promise<void>} stop ends a virtual one
 */

/** @returns {string[]} */
function xvfbCommand() {
  // Without -noreset the server starts anew whenever its last client goes, and refuses the next one meanwhile.
  const xvfb = ['Xvfb', '-displayfd', '3', '-screen', '0', '1440x900x24', '-nolisten', 'tcp', '-noreset'];
  // It then ends even when this process is killed outright, where nothing of ours runs any more.
  return isOnPath('setpriv') ? ['setpriv', '--pdeathsig', 'TERM', ...xvfb] : xvfb;
}

/**
 * @param {import('node:child_process').ChildProcess} server
 * @returns {Promise<string>} the number of the display, once it accepts clients
 */
function displayNumber(server) {
  return new Promise((found, fail) => {
    const failed = () =>
      fail(new SetupError('The virtual display (Xvfb) did not start.', 'start Xvfb yourself, set DISPLAY, try again.'));
    const timer = setTimeout(failed, START_LIMIT_MS);
    let text = '';
    server.on('error', failed);
    server.on('exit', failed);
    server.stdio[3]?.on('data', (data) => {
      text += data;
      if (!text.endsWith('\n')) return;
      clearTimeout(timer);
      found(text.trim());
    });
  });
}

/**
 * Where Linux has no display, starts a virtual one and sets DISPLAY.
 * @returns {Promise<Display>}
 */
export async function startDisplay() {
  if (!needsVirtualDisplay()) return { isVirtual: false, stop: async () => {} };

  const [program = 'Xvfb', ...args] = xvfbCommand();
  // Its own process group: Ctrl-C must reach the app before its display is gone.
  const server = spawn(program, args, { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const ended = once(server, 'exit').catch(() => {});
  const number = await displayNumber(server);
  process.env.DISPLAY = `:${number}`;
  say(`No display here: started a virtual one (Xvfb, DISPLAY=:${number}, 1440x900).`);

  const stop = async () => {
    server.kill();
    await ended;
  };
  return { isVirtual: true, stop };
}
