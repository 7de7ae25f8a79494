import { BrowserWindow, type IpcMainInvokeEvent, nativeTheme, session } from 'electron';
import { APP_ORIGIN, APP_PAGE } from './app-protocol';

/** A renderer that crashes this often in a minute is not loaded again by itself. */
const MAX_CRASHES = 3;
const CRASH_WINDOW_MS = 60_000;
/** How long after the page was loaded its first picture may take before the window is shown without it. */
const FIRST_PICTURE_MS = 2_000;

/** The one window of the app. It can close and come back; what it shows lives in the main process. */
export class MainWindow {
  #window: BrowserWindow | null = null;
  #crashes: number[] = [];

  constructor(
    private readonly preload: string,
    private readonly icon: string,
  ) {}

  /** Opens the window, or brings it forward. */
  show(): BrowserWindow {
    if (this.#window === null) return this.#open();
    const window = this.#window;
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
    return window;
  }

  /** Has the page ask for everything anew. */
  reload(): void {
    if (this.#window !== null && !this.#window.isDestroyed()) void this.#window.loadURL(APP_PAGE);
  }

  get isInFront(): boolean {
    return this.#window?.isFocused() ?? false;
  }

  /** Sends to the page; dropped where there is none, because a page that opens asks for everything anew. */
  send(channel: string, payload: unknown): void {
    const contents = this.#window?.webContents;
    if (contents === undefined || contents.isDestroyed() || contents.isCrashed()) return;
    contents.send(channel, payload);
  }

  /** True for a call out of the top frame of this window's own page. */
  isOwnPage(event: IpcMainInvokeEvent): boolean {
    const { senderFrame, sender } = event;
    if (this.#window === null || sender !== this.#window.webContents || senderFrame === null) return false;
    return senderFrame === sender.mainFrame && senderFrame.url.startsWith(`${APP_ORIGIN}/`);
  }

  flash(): void {
    this.#window?.flashFrame(true);
  }

  #open(): BrowserWindow {
    const window = new BrowserWindow({
      width: 1440,
      height: 900,
      minWidth: 900,
      minHeight: 560,
      show: false,
      autoHideMenuBar: true,
      title: 'Sayso',
      icon: this.icon,
      backgroundColor: nativeTheme.shouldUseDarkColors ? '#0d0f13' : '#f5f6f8',
      webPreferences: {
        preload: this.preload,
        contextIsolation: true,
        nodeIntegration: false,
        sandbox: true,
        webSecurity: true,
        spellcheck: false,
        devTools: process.env.SAYSO_DEVTOOLS === '1',
      },
    });
    this.#window = window;
    showWhenReady(window);
    window.on('closed', () => {
      this.#window = null;
    });
    window.on('focus', () => window.flashFrame(false));
    confine(window);
    window.webContents.on('render-process-gone', (_event, { reason }) => {
      if (reason !== 'clean-exit') this.#reloadAfterCrash(window);
    });
    void window.loadURL(APP_PAGE);
    return window;
  }

  #reloadAfterCrash(window: BrowserWindow): void {
    const now = Date.now();
    this.#crashes = [...this.#crashes.filter((at) => now - at < CRASH_WINDOW_MS), now];
    if (window.isDestroyed() || this.#crashes.length > MAX_CRASHES) return;
    void window.loadURL(APP_PAGE);
  }
}

/** Shown with its first picture; and if that is never told, all the same: a window nobody sees asks nobody anything. */
function showWhenReady(window: BrowserWindow): void {
  let late: NodeJS.Timeout | undefined;
  const show = () => {
    clearTimeout(late);
    if (!window.isDestroyed()) window.show();
  };
  window.once('ready-to-show', show);
  window.webContents.once('did-finish-load', () => {
    if (!window.isVisible()) late = setTimeout(show, FIRST_PICTURE_MS);
  });
}

/** Nothing leaves the app's own page: no navigation, no new windows, no permissions, no downloads. */
function confine(window: BrowserWindow): void {
  const { webContents } = window;
  webContents.on('will-navigate', (event) => event.preventDefault());
  webContents.on('will-attach-webview', (event) => event.preventDefault());
  webContents.setWindowOpenHandler(() => ({ action: 'deny' }));
}

/** Refuses every permission and every request that leaves the machine, for all pages there could be. */
export function confineSession(): void {
  const { defaultSession } = session;
  defaultSession.setPermissionRequestHandler((_contents, _permission, callback) => callback(false));
  defaultSession.setPermissionCheckHandler(() => false);
  defaultSession.on('will-download', (event) => event.preventDefault());
  defaultSession.webRequest.onBeforeRequest((details, callback) => {
    const { protocol } = new URL(details.url);
    callback({ cancel: !['app:', 'devtools:', 'data:', 'blob:', 'chrome:'].includes(protocol) });
  });
}
