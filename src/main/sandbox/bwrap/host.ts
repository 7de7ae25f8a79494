import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, lstat, readlink, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { promisify } from 'node:util';
import { type HardLimits, hardLimits, PRLIMIT } from '../limits';

const runFile = promisify(execFile);

/** Only here: a `bwrap` that someone put on the user's PATH is not started. */
const BWRAP_PLACES = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap', '/run/current-system/sw/bin/bwrap'];

/** Shown whole where they exist: they hold programs, and nothing of anyone's own. */
const SYSTEM_FOLDERS = ['/usr', '/opt', '/nix/store', '/gnu/store', '/snap', '/home/linuxbrew/.linuxbrew', '/etc'];
/** Parts of /usr on a system of today, folders of their own on an old one. */
const SYSTEM_LINKS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** What this machine has for it; found once. */
export interface BwrapHost {
  readonly bwrap: string;
  /** Options of this version. */
  readonly canForbidNamespaces: boolean;
  readonly canLimitSize: boolean;
  readonly hasPrlimit: boolean;
  readonly hardLimits: HardLimits;
  readonly systemFolders: readonly string[];
  /** From path to what it says. */
  readonly systemLinks: ReadonlyMap<string, string>;
  /** A git configuration with the operator's name and address and nothing else; null where git knows none. */
  readonly gitIdentity: Buffer | null;
}

/** @returns null where there is no bubblewrap. */
export async function findBwrapHost(places: readonly string[] = BWRAP_PLACES): Promise<BwrapHost | null> {
  const bwrap = await firstExecutable(places);
  if (bwrap === null) return null;
  const { stdout } = await runFile(bwrap, ['--version'], { timeout: 5_000 }).catch(() => ({ stdout: '' }));
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(stdout) ?? []).map(Number);
  const isAtLeast = (wanted: number): boolean => major > 0 || minor >= wanted;
  const folders = await Promise.all(SYSTEM_FOLDERS.map(realFolder));
  const links = await Promise.all(SYSTEM_LINKS.map(async (path) => [path, await linkTarget(path)] as const));
  const oldFolders = await Promise.all(links.filter(([, target]) => target === null).map(([path]) => realFolder(path)));
  return {
    bwrap,
    canForbidNamespaces: isAtLeast(8),
    canLimitSize: isAtLeast(7),
    hasPrlimit: (await firstExecutable([PRLIMIT])) !== null,
    hardLimits: await hardLimits(),
    systemFolders: [...folders, ...oldFolders].filter((path) => path !== null),
    systemLinks: new Map(links.flatMap(([path, target]) => (target === null ? [] : [[path, target] as const]))),
    gitIdentity: await gitIdentity(),
  };
}

async function firstExecutable(places: readonly string[]): Promise<string | null> {
  for (const place of places) {
    if (
      await access(place, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return place;
  }
  return null;
}

async function realFolder(path: string): Promise<string | null> {
  const stats = await lstat(path).catch(() => null);
  return stats?.isDirectory() === true && (await realpath(path)) === path ? path : null;
}

async function linkTarget(path: string): Promise<string | null> {
  return readlink(path).catch(() => null);
}

/** Commits need a name. The rest of the operator's configuration may hold tokens and stays outside. */
async function gitIdentity(): Promise<Buffer | null> {
  const get = async (key: string): Promise<string> => {
    const environment = { PATH: '/usr/bin:/bin:/usr/local/bin', HOME: homedir() };
    const run = runFile('git', ['config', '--global', '--get', key], { env: environment, timeout: 5_000, cwd: '/' });
    return (await run.catch(() => ({ stdout: '' }))).stdout.trim();
  };
  const [name, email] = [await get('user.name'), await get('user.email')];
  if (name === '' && email === '') return null;
  // git's own quoting: backslash and double quote are escaped, a line break cannot be in it.
  const quoted = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&').replace(/\n/g, ' ')}"`;
  return Buffer.from(`[user]\n\tname = ${quoted(name)}\n\temail = ${quoted(email)}\n`);
}
