import { join } from 'node:path';
import type { SessionId } from '@shared/ids';
import { app } from 'electron';
import { serveApp } from './app-protocol';
import { type BridgeHandlers, failedHandlers, openBridge } from './bridge';
import { setMenu } from './menu';
import { recoverDamaged } from './recover-damaged';
import { saveScreenshot } from './screenshot';
import { watchUnexpected } from './unexpected';
import { confineSession, MainWindow } from './window';
import { type Wired, wireConsole } from './wiring';

/** Ending must not hang on a process that will not die: then the next start ends it. */
const CLOSE_LIMIT_MS = 12_000;

/** Opens the console over a data folder, and sees to its end. */
export async function startConsole(home: string): Promise<void> {
  const root = app.getAppPath();
  const icon = join(root, 'resources', 'icon.png');
  const window = new MainWindow(join(root, 'out', 'preload', 'index.cjs'), icon);
  watchUnexpected(process, (message, remedy) => window.send('sayso:push', { type: 'trouble', message, remedy }));
  const show = (sessionId: SessionId | null) => {
    window.show();
    if (sessionId !== null) window.send('sayso:push', { type: 'show', sessionId });
  };
  app.on('second-instance', () => show(null));
  app.on('activate', () => show(null));
  await app.whenReady();

  confineSession();
  serveApp(join(root, 'out', 'renderer'));
  setMenu({ show: () => show(null), backUp: () => void backUp() });
  const wire = (): Promise<Wired> =>
    wireConsole({ home, root, icon, window, show }).catch((error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      const reason = error instanceof Error ? error : new Error(String(error));
      return { handlers: failedHandlers(reason, recoverStore), close: null, isBusy: () => false };
    });
  let recovering: ReturnType<typeof recover> | null = null;
  const recover = async ({ from }: Parameters<BridgeHandlers['recoverStore']>[0]) => {
    const aside = await recoverDamaged(home, from);
    wired = await wire();
    return { setAside: aside };
  };
  // Two at once would put two consoles over one store, of which one would never be closed.
  const recoverStore: BridgeHandlers['recoverStore'] = (input) => {
    recovering ??= recover(input).finally(() => {
      recovering = null;
    });
    return recovering;
  };
  const backUp = async () => {
    try {
      await wired.handlers.backUpStore({});
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      window.send('sayso:push', { type: 'trouble', message: `It could not be backed up: ${message}`, remedy: '' });
    }
  };
  let wired = await wire();
  // What carries the methods out changes when a damaged store was put aside.
  const handlers = new Proxy({} as BridgeHandlers, { get: (_none, method) => Reflect.get(wired.handlers, method) });
  openBridge(handlers, (event) => window.isOwnPage(event));

  app.on('window-all-closed', () => {
    // Runs go on without a window, and their clocks too; the tray and a second start bring it back.
    if (process.platform !== 'darwin' && !wired.isBusy()) app.quit();
  });
  let closed = false;
  let closing = false;
  app.on('before-quit', (event) => {
    if (closed || wired.close === null) return;
    event.preventDefault();
    // Whoever asks again is told no faster: what is closed twice is cut off in the midst of the first time.
    if (closing) return;
    closing = true;
    const limit = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_LIMIT_MS));
    const end = wired.close().catch((error: unknown) => console.error('It could not be closed in order:', error));
    void Promise.race([end, limit]).then(() => {
      closed = true;
      app.quit();
    });
  });

  const opened = window.show();
  const { SAYSO_SCREENSHOT: screenshot } = process.env;
  if (screenshot !== undefined && screenshot !== '') saveScreenshot(opened, screenshot);
}
