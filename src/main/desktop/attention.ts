import type { SessionId } from '@shared/ids';
import type { Request } from '@shared/requests';
import { app, Menu, Notification, nativeImage, Tray } from 'electron';
import type { Inbox } from '../approvals/inbox';
import { notificationText } from './notification-text';
import type { MainWindow } from './window';

interface AttentionParts {
  readonly inbox: Inbox;
  readonly window: MainWindow;
  readonly icon: string;
  /** Opens the window at a session. */
  readonly show: (sessionId: SessionId | null) => void;
}

/**
 * Everything outside the window that says how much is waiting: badge, tray, and a notification for a new request while
 * the window is not in front. A click opens; no decision is ever made from here, because here no command is whole.
 */
export class Attention {
  readonly #tray: Tray | null;
  readonly #unfollow: () => void;
  #known = new Set<string>();

  constructor(private readonly parts: AttentionParts) {
    this.#tray = makeTray(parts.icon);
    this.#tray?.on('click', () => parts.show(null));
    this.#unfollow = parts.inbox.onChange(() => this.#update());
    this.#update();
  }

  end(): void {
    this.#unfollow();
    if (this.#tray?.isDestroyed() === false) this.#tray.destroy();
  }

  #update(): void {
    const open = this.parts.inbox.open();
    const waiting = open.length === 0 ? 'nothing waits for you' : `${open.length} waiting for you`;
    app.setBadgeCount(open.length);
    this.#tray?.setToolTip(`Sayso: ${waiting}`);
    this.#tray?.setContextMenu(
      Menu.buildFromTemplate([
        { label: waiting, enabled: false },
        { label: 'Open Sayso', click: () => this.parts.show(null) },
        { type: 'separator' },
        { label: 'Quit', click: () => app.quit() },
      ]),
    );
    for (const request of open) if (!this.#known.has(request.id)) this.#announce(request);
    this.#known = new Set(open.map((request) => request.id));
  }

  #announce(request: Request): void {
    if (this.parts.window.isInFront) return;
    this.parts.window.flash();
    if (!Notification.isSupported()) return;
    const notification = new Notification(notificationText(request, process.platform));
    notification.on('click', () => this.parts.show(request.sessionId));
    notification.show();
  }
}

/** Some systems have no tray; the window and the notifications then say it all. */
function makeTray(icon: string): Tray | null {
  try {
    return new Tray(nativeImage.createFromPath(icon).resize({ width: 22, height: 22 }));
  } catch (error) {
    console.error(`There is no tray here: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}
