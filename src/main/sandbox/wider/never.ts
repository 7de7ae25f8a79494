import { join } from 'node:path';
import { TOOL_FOLDERS } from '../bwrap/tool-folders';
import { covers } from '../paths';
import { isProtectedName } from '../reach/protected';
import { holdsCredentials, isInHomes, isSystem, partsOf } from './names';

/** What a place is judged against. All paths real and absolute. */
export interface Surroundings {
  readonly workspace: string;
  /** The homes of whoever the app and the command run as. */
  readonly homes: readonly string[];
  /** The app's own data, its program, and the files of agents: whatever decides what runs. */
  readonly own: readonly string[];
  /** The folders of the command's PATH. */
  readonly programs: readonly string[];
}

/**
 * Whether a place is never opened to a command by an answer, whoever asks and whoever answers; by its name alone, so that
 * it can be told before anything is looked at. For these the agent file is the way, if there is one. Pure.
 */
export function isNeverOpened(path: string, kind: 'read' | 'write', around: Surroundings): boolean {
  const { workspace, homes, own, programs } = around;
  const parts = partsOf(path);
  // What lies directly below the root belongs to the machine.
  if (parts.length < 2 || isSystem(path) || parts.some(holdsCredentials)) return true;
  if ([...own, ...homes].some((place) => covers(path, place)) || own.some((place) => covers(place, path))) return true;
  // What lies in the workspace is open, or is protected; what holds it would open what lies around it.
  if (covers(workspace, path) || covers(path, workspace)) return true;
  const home = homes.find((place) => covers(place, path));
  if (home === undefined) {
    if (isInHomes(path)) return true;
  } else if (isPrivateIn(home, path)) return true;
  if (kind === 'read') return false;
  return (
    parts.some((part) => part.startsWith('.') || isProtectedName(part)) ||
    programs.some((folder) => covers(folder, path) || covers(path, folder))
  );
}

/** Hidden folders of a home hold settings, keys and what runs at a login; those of known tools can be read. */
function isPrivateIn(home: string, path: string): boolean {
  const [first = ''] = partsOf(path.slice(home.length));
  if (!first.startsWith('.') && first !== 'Library' && first !== 'AppData' && first !== 'snap') return false;
  return !TOOL_FOLDERS.some((folder) => covers(join(home, folder), path));
}
