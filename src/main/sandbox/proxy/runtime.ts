import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** What runs JavaScript in the sandbox, and the files that it needs to. All absolute, links resolved. */
export interface Runtime {
  readonly program: string;
  readonly files: readonly string[];
}

/** Beside Electron: its libraries, V8's snapshots, ICU's data. Not the app, which lies in a folder. */
const NEEDED = /\.(?:so(?:\.\d+)*|bin|dat)$/;

let known: Promise<Runtime> | null = null;

/** The app's own runtime: the only one that is certain to be there. Electron behaves as Node where it is told to. */
export function ownRuntime(): Promise<Runtime> {
  known ??= findRuntime(process.execPath, process.versions.electron !== undefined);
  return known;
}

async function findRuntime(path: string, isElectron: boolean): Promise<Runtime> {
  const program = await realpath(path);
  const names = isElectron ? await readdir(dirname(program)) : [];
  const beside = names.filter((name) => name !== basename(program) && NEEDED.test(name));
  return { program, files: [program, ...beside.map((name) => join(dirname(program), name))] };
}
