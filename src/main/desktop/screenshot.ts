import { rename, writeFile } from 'node:fs/promises';
import type { BrowserWindow, NativeImage } from 'electron';

/** How long the page gets to draw itself and its fonts after it has loaded, and between two attempts. */
const SETTLE_MS = 800;
/** How long one attempt may take: asked of a window that draws nothing, it may never end. */
const ATTEMPT_MS = 5_000;

/** Writes a picture of the window once it has drawn itself: for machines on which nobody sees it. */
export function saveScreenshot(window: BrowserWindow, file: string): void {
  window.webContents.once('did-finish-load', () => {
    void write(window, file).catch((error: unknown) => {
      console.error(`The screenshot could not be written: ${error instanceof Error ? error.message : String(error)}`);
    });
  });
}

async function write(window: BrowserWindow, file: string): Promise<void> {
  const image = await drawn(window);
  if (image === null) return;
  // Whoever waits for the file must not find half of it.
  await writeFile(`${file}.part`, image.toPNG());
  await rename(`${file}.part`, file);
}

/** A window that has only just been shown gives an empty picture. @returns null when it has gone */
async function drawn(window: BrowserWindow): Promise<NativeImage | null> {
  for (;;) {
    await delay(SETTLE_MS);
    if (window.isDestroyed()) return null;
    if (!window.isVisible()) continue;
    const image = await Promise.race([window.webContents.capturePage(), delay(ATTEMPT_MS)]);
    if (image !== null && !image.isEmpty()) return image;
  }
}

function delay(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, ms, null));
}
