import { spawn } from 'node:child_process';
import { SetupError, say } from './report.mjs';
import { isOnPath, needsVirtualDisplay } from './system-check.mjs';

const START_LIMIT_MS = 15_000;

/**
 * Where Linux has no display, starts a virtual one and sets DISPLAY. It ends with this process.
 * @returns {Promise<boolean>} whether the display is virtual
 */
export async function startDisplay() {
  if (!needsVirtualDisplay()) return false;

  const xvfb = ['Xvfb', '-displayfd', '3', '-screen', '0', '1440x900x24', '-nolisten', 'tcp'];
  // Also when this process is killed outright, where nothing of ours runs any more.
  const command = isOnPath('setpriv') ? ['setpriv', '--pdeathsig', 'TERM', ...xvfb] : xvfb;
  // Its own process group: Ctrl-C must reach the app before its display is gone.
  const server = spawn(command[0] ?? 'Xvfb', command.slice(1), {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  process.on('exit', () => server.kill());

  const number = await new Promise((found, fail) => {
    const failed = () =>
      fail(new SetupError('The virtual display (Xvfb) did not start.', 'start Xvfb yourself, set DISPLAY, try again.'));
    const timer = setTimeout(failed, START_LIMIT_MS);
    let text = '';
    server.on('error', failed);
    server.on('exit', failed);
    server.stdio[3]?.on('data', (data) => {
      text += data;
      if (!text.includes('\n')) return;
      clearTimeout(timer);
      found(text.trim());
    });
  });
  server.unref();
  process.env.DISPLAY = `:${number}`;
  say(`No display here: started a virtual one (Xvfb, DISPLAY=:${number}, 1440x900).`);
  return true;
}
