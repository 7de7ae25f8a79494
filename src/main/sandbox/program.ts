import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { posix, win32 } from 'node:path';

/** Where execvp looks when the environment has no PATH (glibc's default). */
const DEFAULT_PATH = '/bin:/usr/bin';

export interface ProgramSearch {
  /** The folder that the command will be started in; relative names are relative to it. */
  readonly cwd: string;
  /** The child's environment: its PATH counts, not the app's. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * The absolute path that execvp would run for `name`, links not resolved; null where it would find nothing that it may
 * execute.
 */
export async function resolveProgram(name: string, search: ProgramSearch): Promise<string | null> {
  for (const candidate of candidates(name, search)) {
    if (await isExecutable(candidate)) return candidate;
  }
  return null;
}

/** Why `resolveProgram` found nothing, for model and operator. */
export async function explainUnresolved(name: string, search: ProgramSearch): Promise<string> {
  for (const candidate of candidates(name, search)) {
    const found = await stat(candidate).catch(() => null);
    if (found?.isDirectory() === true) return `${name} cannot be started: ${candidate} is a folder.`;
    if (found !== null) return `${name} cannot be started: ${candidate} is not an executable file.`;
  }
  if (hasFolder(name)) return `${name} cannot be started: there is no such file in ${search.cwd}.`;
  return `${name} cannot be started: there is no such program on the PATH of the command.`;
}

const windows = process.platform === 'win32';
const hasFolder = (name: string): boolean => (windows ? /[\\/]/.test(name) : name.includes('/'));

function candidates(name: string, { cwd, environment }: ProgramSearch): string[] {
  if (name === '' || name.includes('\0')) return [];
  if (windows) return windowsCandidates(name, cwd, environment);
  if (name.includes('/')) return [posix.resolve(cwd, name)];
  // An empty element is the current folder, as in execvp.
  return (environment.PATH ?? DEFAULT_PATH).split(':').map((folder) => posix.resolve(cwd, folder, name));
}

function windowsCandidates(name: string, cwd: string, environment: Readonly<Record<string, string>>): string[] {
  const variable = (wanted: string): string =>
    Object.entries(environment).find(([key]) => key.toUpperCase() === wanted)?.[1] ?? '';
  const endings = win32.extname(name) === '' ? (variable('PATHEXT') || '.COM;.EXE').split(';') : [''];
  const folders = hasFolder(name) ? [cwd] : variable('PATH').split(';').filter(Boolean);
  return folders.flatMap((folder) => endings.map((ending) => win32.resolve(cwd, folder, name + ending)));
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    const [stats] = await Promise.all([stat(path), access(path, constants.X_OK)]);
    return stats.isFile();
  } catch {
    // Not there, or not for us: execvp goes on to the next folder, and so does the search.
    return false;
  }
}
