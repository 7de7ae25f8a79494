import { lstat, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Allowance } from '@shared/allowances';
import { MAX_ALLOWANCES } from '@shared/max-allowances';
import { isListed } from '../../network/host-list';
import { hostProblem } from '../../network/host-rules';
import { covers } from '../paths';
import { DEFAULT_POLICY, type SandboxPolicy } from '../policy';
import type { Refusal } from '../refusal';
import { environmentOf, ownerOf } from '../run-as';
import { isPlainInside } from './look-inside';
import { isNeverOpened, type Surroundings } from './never';
import { includesAllowance } from './overlap';
import { Permission } from './permission';

/** Whose command it was, and what it may do already. */
export interface OfferPlace {
  readonly workspace: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Default: nothing beyond the workspace. */
  readonly policy?: SandboxPolicy;
}

export interface OfferRules {
  /** Real paths that nothing is ever opened of, and what leads to them. */
  readonly own: readonly string[];
  /** Whether files are confined here at all; where they are not, nothing has to be opened. */
  readonly files: 'confined' | 'open';
}

/** Everything has to be known within this time, in milliseconds; a folder on a dead server never answers. */
const LOOK_MS = 5_000;
/** How many folders up the nearest one that exists may be. */
const MAX_UP = 8;

/** One host. A command may ask for `*.com`, which in a list would be all that lies below. */
const EXACT_HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/;
/** The port of https: what a host without one is judged by. */
const HTTPS = 443;

type Wanted = Exclude<Refusal, { kind: 'network' }>;
type PathAllowance = Exclude<Allowance, { kind: 'network' }>;

/**
 * Which of these one run of a command may be allowed, after a look at each place: at most three, and only what exists, is
 * a plain file or folder, lies where nothing is known to be secret or to decide what runs, and is not allowed already.
 * Where it cannot be told it is left out. Never rejects.
 */
export async function offerAll(
  wanted: readonly Refusal[],
  place: OfferPlace,
  { own, files }: OfferRules,
): Promise<readonly Permission[]> {
  const until = performance.now() + LOOK_MS;
  const abort = new AbortController();
  const late = delay(LOOK_MS, [] as const, { signal: abort.signal });
  const paths = files === 'open' ? [] : wanted.filter((refusal): refusal is Wanted => refusal.kind !== 'network');
  try {
    // What cannot be looked at is not offered.
    const looked = look(paths, place, own, until).catch(() => []);
    const found = await Promise.race([looked, late]);
    return withoutCovered([...found, ...networkOf(wanted, place.policy ?? DEFAULT_POLICY)]).slice(0, MAX_ALLOWANCES);
  } finally {
    abort.abort();
    await late.catch(() => undefined);
  }
}

async function look(
  wanted: readonly Wanted[],
  place: OfferPlace,
  own: readonly string[],
  until: number,
): Promise<readonly Permission[]> {
  const around = await surroundingsOf(place, own);
  const found: Permission[] = [];
  for (const refusal of wanted) {
    if (found.length > MAX_ALLOWANCES) break;
    const offered = await lookAt(refusal, around, place.policy ?? DEFAULT_POLICY, until).catch(() => null);
    if (offered !== null) found.push(offered);
  }
  return found;
}

async function surroundingsOf({ workspace, environment }: OfferPlace, own: readonly string[]): Promise<Surroundings> {
  const { HOME } = await environmentOf(await ownerOf(workspace), environment);
  const homes = [HOME, environment.HOME, homedir()].filter((home) => home !== undefined && isAbsolute(home));
  const real = async (path: string | undefined) =>
    path === undefined ? [] : [...new Set([path, await realpath(path).catch(() => path)])];
  return {
    workspace,
    own: (await Promise.all(own.map(real))).flat(),
    homes: (await Promise.all([...new Set(homes)].map(real))).flat(),
    programs: (environment.PATH ?? '').split(':').filter(isAbsolute),
  };
}

async function lookAt(
  { kind, path }: Wanted,
  around: Surroundings,
  policy: SandboxPolicy,
  until: number,
): Promise<Permission | null> {
  // By its name, before anything is touched: a mere look at some places starts something.
  const named = kind === 'write' ? 'write' : 'read';
  if (isNeverOpened(path, named, around)) return null;
  const real = await realpath(path).catch(() => null);
  if (real === null) return kind === 'read' ? null : nearest(path, kind, around, policy, until);
  // A link: where it leads is not where the command looks for it, nor what its name says.
  if (real !== path) return null;
  return place({ kind: named, path, nearestTo: null }, policy, until);
}

/** The nearest folder that there is, for what is not there yet: of what is known to be made, else only its own folder. */
async function nearest(
  path: string,
  kind: 'write' | 'access',
  around: Surroundings,
  policy: SandboxPolicy,
  until: number,
): Promise<Permission | null> {
  if ((await lstat(path).catch(() => null)) !== null || isNeverOpened(path, 'write', around)) return null;
  let folder = dirname(path);
  for (let up = 1; up <= (kind === 'write' ? MAX_UP : 1); up += 1, folder = dirname(folder)) {
    if (isNeverOpened(folder, 'write', around)) return null;
    const real = await realpath(folder).catch(() => null);
    if (real === null && (await lstat(folder).catch(() => null)) === null) continue;
    return real === folder ? place({ kind: 'write', path: folder, nearestTo: path }, policy, until) : null;
  }
  return null;
}

/** The thing itself, at a path that may be opened by its name. */
async function place(
  { kind, path, nearestTo }: Pick<PathAllowance, 'kind' | 'path' | 'nearestTo'>,
  policy: SandboxPolicy,
  until: number,
): Promise<Permission | null> {
  if (isSettled(path, kind, policy)) return null;
  const stats = await lstat(path);
  const is = stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : null;
  if (is === null || (is === 'file' && nearestTo !== null)) return null;
  // Whatever is written into a program runs when somebody starts it.
  if (is === 'file' && kind === 'write' && (stats.mode & 0o111) !== 0) return null;
  if (is === 'folder' && !(await isPlainInside(path, kind, until))) return null;
  return Permission.afterALook({ kind, path, is, nearestTo }, `${is} ${stats.dev}:${stats.ino}:${stats.birthtimeMs}`);
}

/** Whether the policy has settled it already, one way or the other. */
function isSettled(path: string, kind: 'read' | 'write', { read, write, protect }: SandboxPolicy): boolean {
  // What is protected in what can be written stays so.
  if ([...write, ...protect.filter(isAbsolute)].some((folder) => covers(folder, path))) return true;
  if (kind === 'read') return read.some((folder) => covers(folder, path));
  // Whoever wrote the agent file let it be read and not be written: its programs are among that.
  return read.some((folder) => covers(folder, path) || covers(path, folder));
}

/** Writing is reading as well, and a folder is all that is in it: what another one includes is not asked for. */
function withoutCovered(found: readonly Permission[]): Permission[] {
  const kept: Permission[] = [];
  for (const one of found) {
    if (kept.some((other) => includesAllowance(other.allowance, one.allowance))) continue;
    const others = kept.filter((other) => !includesAllowance(one.allowance, other.allowance));
    kept.splice(0, kept.length, ...others, one);
  }
  return kept;
}

/** All of it where there is none. Where there are some hosts, only others by name: never all of it in their place. */
function networkOf(wanted: readonly Refusal[], { network }: SandboxPolicy): Permission[] {
  const places = wanted.flatMap((refusal) => (refusal.kind === 'network' ? [refusal] : []));
  const listed = typeof network === 'boolean' ? { hosts: [], privateHosts: [] } : network;
  const offered = places.filter(({ host, port }) => {
    if (host === null) return network === false;
    const place = { host, port: port ?? HTTPS };
    return (
      network !== true &&
      EXACT_HOST.test(host) &&
      !isListed(place, listed.hosts) &&
      hostProblem(place, listed.privateHosts) === null
    );
  });
  return offered.map(({ host, port }) => Permission.afterALook({ kind: 'network', host, port }, ''));
}
