import type { SaysoApp } from './app';

/** The system's own dialogs cannot be driven: they answer with this path at once. */
export async function answerDialogs(app: SaysoApp, path: string): Promise<void> {
  await app.electron.evaluate(({ dialog }, chosen) => {
    dialog.showSaveDialog = async () => ({ canceled: false, filePath: chosen });
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [chosen] });
  }, path);
}
