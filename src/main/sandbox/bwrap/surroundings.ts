import { isAbsolute } from 'node:path';
import type { Owner } from '../launch';
import { covers } from '../paths';
import type { BwrapHost } from './host';
import type { Mount } from './mounts';
import { closedToStrangers, type Reader } from './strangers-view';
import { toolFolders } from './tool-folders';

const MIB = 1024 ** 2;
/** Temporary files and the home of a command are memory of this machine. */
const TEMPORARY_BYTES = 1_024 * MIB;
const SHARED_MEMORY_BYTES = 256 * MIB;

/** How deep closed folders are looked for. Deeper ones in large trees of programs would cost too much time. */
const LEVELS: Readonly<Record<string, number>> = { '/etc': 16, '/opt': 2, '/usr': 2 };

/** For how long a look at the system's folders holds, in milliseconds. A look costs some ten milliseconds. */
const FRESH_MS = 30_000;

/** What every command sees, wherever its workspace is. */
export interface Surroundings {
  readonly mounts: readonly Mount[];
  /** Empty, in memory, and where HOME says it is. */
  readonly home: string;
}

/** Finds the surroundings for an environment and an owner, and remembers them for a while. */
export class SurroundingsFinder {
  private readonly known = new Map<string, { readonly until: number; readonly found: Promise<Surroundings> }>();

  constructor(private readonly host: BwrapHost) {}

  find(environment: Readonly<Record<string, string>>, owner: Owner | null): Promise<Surroundings> {
    const { PATH = '', HOME = '' } = environment;
    const key = JSON.stringify([PATH, HOME, owner]);
    const known = this.known.get(key);
    if (known !== undefined && known.until > Date.now()) return known.found;
    const found = this.look(PATH, HOME, readerOf(owner));
    this.known.set(key, { until: Date.now() + FRESH_MS, found });
    return found;
  }

  private async look(path: string, wantedHome: string, reader: Reader): Promise<Surroundings> {
    const { systemFolders } = this.host;
    const home = usableHome(wantedHome, systemFolders);
    const closed = await Promise.all(
      systemFolders.map((folder) => closedToStrangers(folder, reader, LEVELS[folder] ?? 0)),
    );
    const tools = await toolFolders(path, home, reader);
    const inSystem = (folder: string): boolean => systemFolders.some((system) => covers(system, folder));
    return {
      home,
      mounts: [
        ...systemFolders.map((folder): Mount => ({ kind: 'read', path: folder })),
        ...closed.flat(),
        { kind: 'private', path: '/tmp', bytes: TEMPORARY_BYTES },
        { kind: 'private', path: '/dev/shm', bytes: SHARED_MEMORY_BYTES },
        { kind: 'private', path: home, bytes: TEMPORARY_BYTES },
        ...tools
          .filter((folder) => !inSystem(folder) && !this.host.systemLinks.has(folder))
          .map((folder): Mount => ({ kind: 'read', path: folder })),
      ],
    };
  }
}

function readerOf(owner: Owner | null): Reader {
  if (owner !== null) return { ...owner, groups: [] };
  return { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1, groups: process.getgroups?.() ?? [] };
}

/** HOME, unless an empty folder there would hide what has to be seen. */
function usableHome(home: string, systemFolders: readonly string[]): string {
  const taken = [...systemFolders, '/dev', '/proc', '/bin', '/sbin', '/lib'];
  const clashes = taken.some((folder) => covers(folder, home) || covers(home, folder));
  return !isAbsolute(home) || clashes ? '/tmp' : home;
}
