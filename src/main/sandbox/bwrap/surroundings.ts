import { isAbsolute } from 'node:path';
import type { Owner } from '../launch';
import { covers } from '../paths';
import type { FoundPath } from '../reach/find-path';
import type { BwrapHost } from './host';
import type { Mount } from './mounts';
import { closedToStrangers, type Reader } from './strangers-view';
import { steadyTools, toolFolders } from './tool-folders';

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

interface Known extends Surroundings {
  readonly tools: readonly FoundPath[];
}

/** Finds the surroundings for an environment and an owner, and remembers them for a while. */
export class SurroundingsFinder {
  private readonly looks = new Map<string, { readonly until: number; readonly found: Promise<Known> }>();

  constructor(private readonly host: BwrapHost) {}

  /** @param writable real paths of what the command can write to, as those of the run before it could */
  async find(
    environment: Readonly<Record<string, string>>,
    owner: Owner | null,
    writable: readonly string[],
  ): Promise<Surroundings> {
    const { home, mounts, tools } = await this.known(environment, owner);
    const steady = await steadyTools(tools, writable);
    // Under its own name as well, where a link leads to it.
    const folders = new Set(steady.flatMap(({ given, real }) => [real, given]));
    const { systemFolders, systemLinks } = this.host;
    const inSystem = (folder: string): boolean => systemFolders.some((system) => covers(system, folder));
    const shown = [...folders].filter((folder) => !inSystem(folder) && !systemLinks.has(folder));
    return { home, mounts: [...mounts, ...shown.map((path): Mount => ({ kind: 'read', path }))] };
  }

  private known(environment: Readonly<Record<string, string>>, owner: Owner | null): Promise<Known> {
    const { PATH = '', HOME = '' } = environment;
    const key = JSON.stringify([PATH, HOME, owner]);
    const known = this.looks.get(key);
    if (known !== undefined && known.until > Date.now()) return known.found;
    const found = this.look(PATH, HOME, readerOf(owner));
    this.looks.set(key, { until: Date.now() + FRESH_MS, found });
    return found;
  }

  private async look(path: string, wantedHome: string, reader: Reader): Promise<Known> {
    const { systemFolders } = this.host;
    const home = usableHome(wantedHome, systemFolders);
    const closed = await Promise.all(
      systemFolders.map((folder) => closedToStrangers(folder, reader, LEVELS[folder] ?? 0)),
    );
    return {
      home,
      tools: await toolFolders(path, home, reader),
      mounts: [
        ...systemFolders.map((folder): Mount => ({ kind: 'read', path: folder })),
        ...closed.flat(),
        { kind: 'private', path: '/tmp', bytes: TEMPORARY_BYTES },
        { kind: 'private', path: '/dev/shm', bytes: SHARED_MEMORY_BYTES },
        { kind: 'private', path: home, bytes: TEMPORARY_BYTES },
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
