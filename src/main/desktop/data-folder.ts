import { accessSync, constants, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { app } from 'electron';

export interface DataFolder {
  readonly home: string;
  /** False where nothing can be written: then there is no lock to take, and the store says in the window what is wrong. */
  readonly isWritable: boolean;
}

/** The data folder: SAYSO_HOME, or the system's place for it. Chromium keeps its own files in a folder inside it. */
export function dataFolder(): DataFolder {
  const chosen = process.env.SAYSO_HOME;
  const home = chosen === undefined || chosen === '' ? app.getPath('userData') : resolve(chosen);
  const isWritable = canWrite(home);
  // The window that says so needs a place of its own for as long as it is open.
  const own = isWritable ? home : mkdtempSync(join(tmpdir(), 'sayso-'));
  app.setPath('userData', own);
  app.setPath('sessionData', join(own, 'chromium'));
  return { home, isWritable };
}

function canWrite(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
