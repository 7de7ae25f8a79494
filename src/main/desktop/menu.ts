import { app, Menu } from 'electron';

/** The standard menu, without what would let a page out: no reload, no developer tools, no links. */
export function setMenu({ show, backUp }: { readonly show: () => void; readonly backUp: () => void }): void {
  const mac = process.platform === 'darwin';
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...(mac ? [{ role: 'appMenu' as const }] : []),
      {
        label: 'File',
        submenu: [
          { label: 'Open the window', click: show },
          { label: 'Back up everything…', click: backUp },
          { type: 'separator' },
          { role: 'close' },
          { label: 'Quit', accelerator: 'CmdOrCtrl+Q', click: () => app.quit() },
        ],
      },
      { role: 'editMenu' },
      {
        label: 'View',
        submenu: [{ role: 'zoomIn' }, { role: 'zoomOut' }, { role: 'resetZoom' }, { role: 'togglefullscreen' }],
      },
      { role: 'windowMenu' },
    ]),
  );
}
