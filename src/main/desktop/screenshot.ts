import { rename, writeFile } from 'node:fs/promises';
import type { BrowserWindow } from 'electron';

/** How long the page gets to draw itself and its fonts after it has loaded. */
const SETTLE_MS = 800;

/** Writes a picture of the window once it has drawn itself: for machines on which nobody sees it. */
export function saveScreenshot(window: BrowserWindow, file: string): void {
  window.webContents.once('did-finish-load', () => {
    setTimeout(() => void capture(window, file), SETTLE_MS);
  });
}

async function capture(window: BrowserWindow, file: string): Promise<void> {
  try {
    const image = await window.webContents.capturePage();
    // Whoever waits for the file must not find half of it.
    await writeFile(`${file}.part`, image.toPNG());
    await rename(`${file}.part`, file);
  } catch (error) {
    console.error(`The screenshot could not be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}
