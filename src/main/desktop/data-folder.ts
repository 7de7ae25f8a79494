import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { app } from 'electron';

/** The data folder: SAYSO_HOME, or the system's place for it. Chromium keeps its own files in a folder inside it. */
export function dataFolder(): string {
  const chosen = process.env.SAYSO_HOME;
  if (chosen !== undefined && chosen !== '') app.setPath('userData', resolve(chosen));
  const home = app.getPath('userData');
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
  } catch {
    // The store says it in words when it cannot be opened; here there is no window yet to say it in.
  }
  app.setPath('sessionData', join(home, 'chromium'));
  return home;
}
