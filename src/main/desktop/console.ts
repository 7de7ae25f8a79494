import { join } from 'node:path';
import type { SessionId } from '@shared/ids';
import { app } from 'electron';
import { serveApp } from './app-protocol';
import { failedHandlers, openBridge } from './bridge';
import { setMenu } from './menu';
import { saveScreenshot } from './screenshot';
import { confineSession, MainWindow } from './window';
import { wireConsole } from './wiring';

/** Ending must not hang on a process that will not die: then the next start ends it. */
const CLOSE_LIMIT_MS = 12_000;

/** Opens the console over a data folder, and sees to its end. */
export async function startConsole(home: string): Promise<void> {
  const root = app.getAppPath();
  const icon = join(root, 'resources', 'icon.png');
  const window = new MainWindow(join(root, 'out', 'preload', 'index.cjs'), icon);
  const show = (sessionId: SessionId | null) => {
    window.show();
    if (sessionId !== null) window.send('sayso:push', { type: 'show', sessionId });
  };
  app.on('second-instance', () => show(null));
  app.on('activate', () => show(null));
  await app.whenReady();

  confineSession();
  serveApp(join(root, 'out', 'renderer'));
  setMenu(() => show(null));
  const wired = await wireConsole({ home, root, icon, window, show }).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    return {
      handlers: failedHandlers(error instanceof Error ? error : new Error(String(error))),
      close: null,
      isBusy: () => false,
    };
  });
  openBridge(wired.handlers, (event) => window.isOwnPage(event));

  app.on('window-all-closed', () => {
    // Runs go on without a window, and their clocks too; the tray and a second start bring it back.
    if (process.platform !== 'darwin' && !wired.isBusy()) app.quit();
  });
  let closed = wired.close === null;
  app.on('before-quit', (event) => {
    if (closed || wired.close === null) return;
    event.preventDefault();
    const limit = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_LIMIT_MS));
    void Promise.race([wired.close(), limit]).finally(() => {
      closed = true;
      app.quit();
    });
  });

  const opened = window.show();
  const { SAYSO_SCREENSHOT: screenshot } = process.env;
  if (screenshot !== undefined && screenshot !== '') saveScreenshot(opened, screenshot);
}
