import { isAbsolute, join, resolve } from 'node:path';
import { covers } from '../paths';
import { type FoundPath, findPath } from '../reach/find-path';
import { canEnter, type Reader } from './strangers-view';

/**
 * Tools that people install in their home: a folder that stands on PATH, and what its programs need beside it. Never a
 * folder that holds credentials as well, such as all of ~/.cargo or ~/.local/share.
 */
const IN_HOME: readonly (readonly [onPath: string, ...needed: string[]])[] = [
  ['.pyenv', '.pyenv'],
  ['.rbenv', '.rbenv'],
  ['.nodenv', '.nodenv'],
  ['.goenv', '.goenv'],
  ['.nvm', '.nvm'],
  ['.volta', '.volta'],
  ['.asdf', '.asdf'],
  ['.sdkman', '.sdkman'],
  ['.dotnet', '.dotnet'],
  ['.ghcup', '.ghcup'],
  ['.opam', '.opam'],
  ['.cargo/bin', '.cargo/bin', '.rustup'],
  ['.local/bin', '.local/lib', '.local/share/pipx', '.local/share/uv'],
  ['.local/share/mise', '.local/share/mise'],
  ['.local/share/fnm', '.local/share/fnm'],
  ['miniconda3', 'miniconda3'],
  ['anaconda3', 'anaconda3'],
  ['miniforge3', 'miniforge3'],
];

/** Folders of known tools in a home, none of which holds credentials, by their paths from it. */
export const TOOL_FOLDERS: readonly string[] = [...new Set(IN_HOME.flat())];

/**
 * The folders of PATH that have to be shown beyond the system's own, with what belongs to them. Links are resolved.
 * @param home the home that is hidden; a folder that contains it is never shown.
 */
export async function toolFolders(path: string, home: string, reader: Reader): Promise<FoundPath[]> {
  const onPath = path.split(':').filter(isAbsolute);
  const families = IN_HOME.filter(([entry]) => onPath.some((folder) => covers(join(home, entry), folder)));
  const wanted = [...onPath, ...families.flatMap(([, ...needed]) => needed.map((folder) => join(home, folder)))];
  const found = await Promise.all(
    [...new Set(wanted.map((folder) => resolve(folder)))].map(async (folder) => {
      const tool = await findPath(folder);
      return tool === null || covers(tool.real, home) || !(await canEnter(tool.real, reader)) ? [] : [tool];
    }),
  );
  return found.flat();
}

/**
 * Leaves out what a command of the run could have bent: a folder behind a link that lies in what it can write, which may
 * lead anywhere. What has to do with that is looked at anew.
 */
export async function steadyTools(tools: readonly FoundPath[], writable: readonly string[]): Promise<FoundPath[]> {
  const isWritable = (path: string): boolean => writable.some((folder) => covers(folder, path));
  const isSteady = async (tool: FoundPath): Promise<boolean> => {
    if (![tool.given, tool.real, ...tool.links].some(isWritable)) return true;
    const now = await findPath(tool.given);
    return now !== null && now.real === tool.real && !now.links.some(isWritable);
  };
  const steady = await Promise.all(tools.map(isSteady));
  return tools.filter((_, index) => steady[index]);
}
