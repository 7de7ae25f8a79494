import { realpath } from 'node:fs/promises';
import { covers, foldersBetween } from '../paths';
import type { Openings } from '../reach/openings';
import { arrange, type Mount, mountAt, withLinks } from './mounts';

/** Of a folder that is only there to hide one, in bytes. */
const HIDDEN_BYTES = 4_096;

export interface ViewParts {
  readonly workspace: string;
  readonly openings: Openings;
  /** What the network needs. */
  readonly network: readonly Mount[];
  readonly surroundings: readonly Mount[];
  /** What is protected, wherever it is. */
  readonly protection: readonly Mount[];
  /** Real paths that are not shown, whatever else is said. */
  readonly hidden: readonly string[];
}

/** Everything that a command sees, in the order in which it has to be mounted. */
export function arrangeView({ workspace, openings, network, surroundings, protection, hidden }: ViewParts): Mount[] {
  const open: Mount[] = [...network, ...beyondWorkspace(openings), { kind: 'write', path: workspace }];
  const kept = protection.filter(({ path }) => open.some((mount) => covers(mount.path, path)));
  const shown = [...surroundings, ...open, ...kept];
  return withLinks(arrange([...shown, ...hiding(hidden, shown)], hidden), openings.names);
}

/** What the policy opens beyond the workspace. */
const beyondWorkspace = ({ read, write }: Openings): Mount[] => [
  ...read.map((path): Mount => ({ kind: 'read', path })),
  ...write.map((path): Mount => ({ kind: 'write', path })),
];

/** /etc/resolv.conf is often a link into /run, which is not shown. */
export async function nameService(): Promise<Mount[]> {
  const path = await realpath('/etc/resolv.conf').catch(() => null);
  return path === null || covers('/etc', path) ? [] : [{ kind: 'read', path }];
}

/** The hidden folders that would be seen, with what keeps the folders above them from being renamed. */
function hiding(hidden: readonly string[], shown: readonly Mount[]): Mount[] {
  const seen = hidden.filter((folder) => shown.some(({ kind, path }) => kind !== 'private' && covers(path, folder)));
  if (seen.length === 0) return [];
  const arranged = arrange(shown, []);
  const writable = arranged.filter(({ kind }) => kind === 'write');
  const pins = seen.flatMap((folder) => writable.flatMap(({ path }) => foldersBetween(path, folder)));
  return [
    // Not where something closed lies in between, which they would open.
    ...pins.filter((path) => mountAt(path, arranged)?.kind === 'write').map((path): Mount => ({ kind: 'write', path })),
    ...seen.map((path): Mount => ({ kind: 'private', path, bytes: HIDDEN_BYTES })),
  ];
}

/**
 * @param real the program with all links resolved
 * @throws Error with words for model and operator, where the program is not in the view
 */
export function checkProgram(program: string, real: string, mounts: readonly Mount[]): void {
  for (const path of [program, real]) {
    const mount = mountAt(path, mounts);
    // Links such as /bin lead into /usr, and that is where the real path is.
    if (mount?.kind === 'read' || mount?.kind === 'write' || path !== real) continue;
    throw new Error(`${path} is not shown in the sandbox: name its folder under sandbox.read in the agent file`);
  }
}
