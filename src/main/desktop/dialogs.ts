import { dialog } from 'electron';

/** The system's own dialogs. A path that the operator chose is still checked by whoever uses it. */
export interface Dialogs {
  /** null when the operator cancelled. */
  chooseFolder(): Promise<string | null>;
  chooseAgentFile(): Promise<string | null>;
  /** A session's JSON Lines to take in. */
  chooseSessionFile(): Promise<string | null>;
  /** Where to write a file; null when the operator cancelled. */
  chooseTarget(name: string): Promise<string | null>;
}

export const systemDialogs: Dialogs = {
  chooseFolder: () => choose({ title: 'Choose the workspace', properties: ['openDirectory', 'createDirectory'] }),
  chooseAgentFile: () =>
    choose({
      title: 'Open an agent file',
      properties: ['openFile'],
      filters: [{ name: 'Agent files', extensions: ['yaml', 'yml'] }],
    }),
  chooseSessionFile: () =>
    choose({
      title: 'Take in a session',
      properties: ['openFile'],
      filters: [{ name: 'Sessions as JSON Lines', extensions: ['jsonl'] }],
    }),
  chooseTarget: async (name) => {
    const { canceled, filePath } = await dialog.showSaveDialog({ title: 'Save', defaultPath: name });
    return canceled || filePath === '' ? null : (filePath ?? null);
  },
};

async function choose(options: Electron.OpenDialogOptions): Promise<string | null> {
  const { canceled, filePaths } = await dialog.showOpenDialog(options);
  return canceled ? null : (filePaths[0] ?? null);
}
