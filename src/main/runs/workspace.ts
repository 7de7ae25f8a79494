import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import type { ApprovalMode } from '@shared/states';
import { Refusal } from './refusal';

/**
 * The real path of a folder that a run may work in.
 * @param dataFolder the app's own, which no agent may reach
 * @throws Refusal when it is not there, is no folder, touches the data folder, or cannot be written to where it must be
 */
export async function openWorkspace(path: string, mode: ApprovalMode, dataFolder: string): Promise<string> {
  const expanded = path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
  if (!isAbsolute(expanded)) {
    throw new Refusal(
      'refused',
      `The workspace "${path}" is not an absolute path.`,
      'Give the whole path of a folder.',
    );
  }
  let real: string;
  try {
    real = await realpath(expanded);
  } catch {
    throw new Refusal(
      'not-found',
      `The workspace ${expanded} is not there.`,
      'Make the folder, or choose another one.',
    );
  }
  if (!(await stat(real)).isDirectory()) {
    throw new Refusal('refused', `The workspace ${expanded} is a file, not a folder.`, 'Choose a folder.');
  }
  const own = await realpath(dataFolder);
  if (holds(real, own) || holds(own, real)) {
    throw new Refusal(
      'refused',
      `The workspace ${expanded} holds, or lies in, Sayso's own data folder ${own}: an agent could read its journal and change what it runs by.`,
      'Choose a folder that has nothing to do with it.',
    );
  }
  const wanted = mode === 'readonly' ? constants.R_OK : constants.R_OK | constants.W_OK;
  try {
    await access(real, wanted | constants.X_OK);
  } catch {
    const what = mode === 'readonly' ? 'read' : 'written to';
    throw new Refusal(
      'refused',
      `The workspace ${expanded} cannot be ${what}.`,
      'Change its permissions, or choose another folder.',
    );
  }
  return real;
}

/** Whether a folder is another one or holds it; both real paths. */
function holds(folder: string, other: string): boolean {
  const way = relative(folder, other);
  return way === '' || (!isAbsolute(way) && way.split(/[\\/]/)[0] !== '..');
}
