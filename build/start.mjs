// Sets the machine up, builds the app where that is needed, and starts it.
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildAppIfStale } from './app-build.mjs';
import { appArguments } from './app-command.mjs';
import { runHere } from './child.mjs';
import { startDisplay } from './setup/display.mjs';
import { setUp } from './setup/index.mjs';
import { runScript, say } from './setup/report.mjs';

const SCREENSHOT_POLL_MS = 250;

/** Nobody sees a virtual display, so the app is asked for a picture of its window. */
function requestScreenshot() {
  const file = join(mkdtempSync(join(tmpdir(), 'sayso-')), 'window.png');
  const timer = setInterval(() => {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
    clearInterval(timer);
    say(`A picture of the window: ${file}`);
  }, SCREENSHOT_POLL_MS);
  timer.unref();
  return { SAYSO_SCREENSHOT: file };
}

await runScript(async () => {
  const electron = await setUp();
  const built = await buildAppIfStale();
  if (built !== 0) return built;
  const display = await startDisplay();
  try {
    say('Starting Sayso. Ctrl-C ends it.');
    const env = display.isVirtual ? requestScreenshot() : {};
    const { code } = await runHere(electron, appArguments(process.argv.slice(2)), env);
    return code;
  } finally {
    await display.stop();
  }
});
