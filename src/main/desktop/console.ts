import { join } from 'node:path';
import type { SessionId } from '@shared/ids';
import { app } from 'electron';
import { DATABASE_FILE, StoreError } from '../sessions/database';
import { markIfDamaged } from '../sessions/suspect';
import { serveApp } from './app-protocol';
import { type BridgeHandlers, failedHandlers, openBridge } from './bridge';
import { setMenu } from './menu';
import { recoverDamaged } from './recover-damaged';
import { saveScreenshot } from './screenshot';
import { rescueNotice } from './start-notices';
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
  const trouble = (message: string, remedy: string) => window.send('sayso:push', { type: 'trouble', message, remedy });
  watchUnexpected(process, trouble);
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
  let closed = false;
  let closing = false;
  const failed = (reason: Error, close: Wired['close']): Wired => ({
    handlers: failedHandlers(reason, recoverStore),
    close,
    isBusy: () => false,
  });
  const wire = (notices: readonly string[] = []): Promise<Wired> =>
    wireConsole({ home, root, icon, window, show, notices, onStoreGone: () => void rescue() }).catch(
      (error: unknown) => {
        console.error(error instanceof Error ? error.message : error);
        return failed(error instanceof Error ? error : new Error(String(error)), null);
      },
    );
  let recovering: ReturnType<typeof recover> | null = null;
  const recover = async ({ from }: Parameters<BridgeHandlers['recoverStore']>[0]) => {
    const setAside = from === 'again' ? null : await recoverDamaged(home, from);
    wired = await wire();
    return { setAside };
  };
  // Two at once would put two consoles over one store, of which one would never be closed.
  const recoverStore: BridgeHandlers['recoverStore'] = (input) => {
    recovering ??= recover(input).finally(() => {
      recovering = null;
    });
    return recovering;
  };
  /** The store's file has gone: what is open of it is saved, and opened anew. */
  const rescue = async () => {
    const { close } = wired;
    if (close === null || closing) return;
    const saving = close();
    wired = failed(new StoreError('The store is being saved: its file has gone.', 'Wait a moment.'), () => saving);
    try {
      const rescued = await saving;
      if (closing) return;
      wired = await wire(rescued === null ? [] : [rescueNotice(rescued)]);
      window.reload();
    } catch (error) {
      // What is open is the only place where all of it is: nothing closes it but the end of the app.
      console.error('The store could not be saved:', error);
      wired = { ...wired, close };
      trouble(
        `The store's file has gone, and could not be written anew: ${error instanceof Error ? error.message : error}`,
        `Make room in ${home}, and quit Sayso: it tries again then.`,
      );
    }
  };
  const backUp = async () => {
    try {
      await wired.handlers.backUpStore({});
    } catch (error) {
      trouble(`It could not be backed up: ${error instanceof Error ? error.message : String(error)}`, '');
    }
  };
  let wired = await wire();
  // What carries the methods out changes when the store is opened anew.
  const handlers = new Proxy({} as BridgeHandlers, { get: (_none, method) => Reflect.get(wired.handlers, method) });
  openBridge(
    handlers,
    (event) => window.isOwnPage(event),
    (error) => markIfDamaged(join(home, DATABASE_FILE), error),
  );

  app.on('window-all-closed', () => {
    // Runs go on without a window, and their clocks too; the tray and a second start bring it back.
    if (process.platform !== 'darwin' && !wired.isBusy()) app.quit();
  });
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
