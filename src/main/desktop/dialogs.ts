import { dialog } from 'electron';

/** The system's own dialogs. A path that the operator chose is still checked by whoever uses it. */
export interface Dialogs {
  /** null when the operator cancelled. */
  chooseFolder(): Promise<string | null>;
  chooseAgentFile(): Promise<string | null>;
}

export const systemDialogs: Dialogs = {
  chooseFolder: () => choose({ title: 'Choose the workspace', properties: ['openDirectory', 'createDirectory'] }),
  chooseAgentFile: () =>
    choose({
      title: 'Open an agent file',
      properties: ['openFile'],
      filters: [{ name: 'Agent files', extensions: ['yaml', 'yml'] }],
    }),
};

async function choose(options: Electron.OpenDialogOptions): Promise<string | null> {
  const { canceled, filePaths } = await dialog.showOpenDialog(options);
  return canceled ? null : (filePaths[0] ?? null);
}
