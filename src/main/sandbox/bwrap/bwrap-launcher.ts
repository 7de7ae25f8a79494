import { realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { explainFailure, processesNote, treeLimitNote } from '../denial';
import type { Conclusion, Launcher } from '../launch';
import { limitCommand, limitScript } from '../limits';
import { covers, foldersBetween } from '../paths';
import { DEFAULT_POLICY, type SandboxLimits, type SandboxPolicy } from '../policy';
import type { ProcessEnd } from '../process';
import { findOpenings, type Openings } from '../reach/openings';
import type { Command } from '../run-command';
import type { BwrapHost } from './host';
import { arrange, type Mount, mountArguments, mountAt, withLinks } from './mounts';
import { NamespaceTree } from './namespace-tree';
import { type Protection, protectPaths } from './protected-paths';
import { Sentinel } from './sentinel';
import type { Surroundings, SurroundingsFinder } from './surroundings';
import { type TaskGroup, takeTaskGroup } from './task-group';

/** Of a folder that is only there to hide one, in bytes. */
const HIDDEN_BYTES = 4_096;

export interface BwrapParts {
  readonly host: BwrapHost;
  readonly surroundings: SurroundingsFinder;
  /** The seccomp filter; null for the tier without. */
  readonly filter: Buffer | null;
  /** Real paths that no command gets to see, whatever its policy says: the app's own data. */
  readonly hidden: readonly string[];
}

/** Starts a command in namespaces of its own, with only what it needs mounted in them. */
export function bwrapLauncher({ spec, program, mark, owner }: Command, parts: BwrapParts): Launcher {
  const policy = spec.policy ?? DEFAULT_POLICY;
  const { host, hidden, filter } = parts;

  return {
    async plan(place) {
      const refused = refusal(spec.workspace, hidden);
      if (refused !== null) throw new Error(refused);
      const openings = await findOpenings(spec.workspace, policy);
      const looked = Promise.all([
        parts.surroundings.find(spec.environment, owner),
        protectPaths([spec.workspace, ...openings.write], [...policy.protect, ...openings.keep]),
        policy.network ? nameService() : [],
        owner === null ? takeTaskGroup(policy.limits.processes) : null,
      ]);
      // While the others look.
      const firstFd = place.firstFd();
      const [surroundings, protection, names, group] = await looked;
      try {
        const open: Mount[] = [...names, ...beyondWorkspace(openings), { kind: 'write', path: spec.workspace }];
        const kept = protection.mounts.filter(({ path }) => open.some((mount) => covers(mount.path, path)));
        const shown = [...surroundings.mounts, ...open, ...kept];
        const arranged = arrange([...shown, ...hiding(hidden, shown)], hidden);
        const mounts = withLinks(arranged, openings.names);
        await checkProgram(program, mounts);
        const git = gitFile(surroundings, mounts, host);
        const options = bwrapOptions({ firstFd, mounts, policy, git: git?.path ?? null, parts, cwd: spec.cwd });
        const environment = { ...spec.environment, HOME: surroundings.home, TMPDIR: '/tmp' };
        const variables = Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]);
        const sentinel = new Sentinel(spec.workspace, protection);
        const { before, inside } = limiting(policy.limits, host, group);
        const [file = host.bwrap, ...first] = [...before, host.bwrap];
        let tree: NamespaceTree | null = null;
        return {
          launch: {
            file,
            argv0: basename(file),
            args: [...first, '--args', String(firstFd), '--', ...inside, program, ...spec.argv.slice(1)],
            cwd: '/',
            // What the agent file sets is for the command, not for what confines it.
            environment: markOnly(mark),
            owner,
            feeds: [
              Buffer.from([...options, ...variables].map((option) => `${option}\0`).join('')),
              ...(filter === null ? [] : [filter]),
              ...(git === null ? [] : [git.content]),
            ],
            // Until it has read its options, bwrap has started nothing that could be outside of the group.
            ...(group === null || group.enter !== null ? {} : { beforeFeeds: (pid: number) => group.add(pid) }),
            reports: true,
          },
          tree(child, reports) {
            if (reports === null) throw new Error('The sandbox has no way to report.');
            tree = new NamespaceTree(child, reports, policy.limits);
            return tree;
          },
          conclude: (end, output) =>
            conclude({ end, output, tree, policy, protection, sentinel, group, name: spec.argv[0] }),
        };
      } catch (error) {
        await protection.release();
        group?.release();
        throw error;
      }
    },
  };
}

/**
 * Who sets the limits: the shell that has to be there anyway, or one more program. Each is another start, and counts.
 * What the shell leaves out, the number of processes, is what the group counts.
 */
function limiting(limits: SandboxLimits, host: BwrapHost, group: TaskGroup | null) {
  if (group?.enter) return { before: group.enter(limitScript(limits, host.hardLimits)), inside: [] };
  return { before: [], inside: host.hasPrlimit ? limitCommand(limits, host.hardLimits) : [] };
}

/** Why a workspace cannot be confined; null where it can. */
function refusal(workspace: string, hidden: readonly string[]): string | null {
  if (workspace === '/') return 'the whole file system cannot be the workspace of a sandbox';
  const own = hidden.find((folder) => covers(folder, workspace));
  return own === undefined ? null : `the workspace lies in the data folder of Sayso (${own})`;
}

/** What the policy opens beyond the workspace. */
const beyondWorkspace = ({ read, write }: Openings): Mount[] => [
  ...read.map((path): Mount => ({ kind: 'read', path })),
  ...write.map((path): Mount => ({ kind: 'write', path })),
];

/** /etc/resolv.conf is often a link into /run, which is not shown. */
async function nameService(): Promise<Mount[]> {
  const path = await realpath('/etc/resolv.conf').catch(() => null);
  return path === null || covers('/etc', path) ? [] : [{ kind: 'read', path }];
}

/** The hidden folders that would be seen, with what keeps the folders above them from being renamed. */
function hiding(hidden: readonly string[], shown: readonly Mount[]): Mount[] {
  const seen = hidden.filter((folder) => shown.some(({ kind, path }) => kind !== 'private' && covers(path, folder)));
  const arranged = arrange(shown, []);
  const writable = arranged.filter(({ kind }) => kind === 'write');
  const pins = seen.flatMap((folder) => writable.flatMap(({ path }) => foldersBetween(path, folder)));
  return [
    // Not where something closed lies in between, which they would open.
    ...pins.filter((path) => mountAt(path, arranged)?.kind === 'write').map((path): Mount => ({ kind: 'write', path })),
    ...seen.map((path): Mount => ({ kind: 'private', path, bytes: HIDDEN_BYTES })),
  ];
}

async function checkProgram(program: string, mounts: readonly Mount[]): Promise<void> {
  const real = await realpath(program);
  for (const path of [program, real]) {
    const mount = mountAt(path, mounts);
    // Links such as /bin lead into /usr, and that is where the real path is.
    if (mount?.kind === 'read' || mount?.kind === 'write' || path !== real) continue;
    throw new Error(`${path} is not shown in the sandbox: name its folder under sandbox.read in the agent file`);
  }
}

/** Only into the home that is the sandbox's own: never into a folder of this machine. */
function gitFile(surroundings: Surroundings, mounts: readonly Mount[], host: BwrapHost) {
  const path = join(surroundings.home, '.gitconfig');
  if (host.gitIdentity === null || mountAt(path, mounts)?.kind !== 'private') return null;
  return { path, content: host.gitIdentity };
}

function markOnly(mark: string): Record<string, string> {
  const [name = '', value = ''] = mark.split('=');
  return { PATH: '/usr/bin:/bin', [name]: value };
}

interface OptionParts {
  readonly firstFd: number;
  readonly mounts: readonly Mount[];
  readonly policy: SandboxPolicy;
  readonly git: string | null;
  readonly parts: BwrapParts;
  readonly cwd: string;
}

function bwrapOptions({ firstFd, mounts, policy, git, parts, cwd }: OptionParts): string[] {
  const { host, filter } = parts;
  let fd = firstFd + 1;
  const next = (): string => String(fd++);
  const sized = (options: string[]): string[] => (host.canLimitSize ? options : options.filter(notSize));
  return [
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(policy.network ? [] : ['--unshare-net']),
    ...(host.canForbidNamespaces ? ['--disable-userns'] : []),
    ...['--cap-drop', 'ALL'],
    '--die-with-parent',
    '--new-session',
    ...(filter === null ? [] : ['--seccomp', next()]),
    ...[...host.systemLinks].flatMap(([path, target]) => ['--symlink', target, path]),
    ...['--dir', '/run', '--dir', '/var', '--symlink', '../tmp', '/var/tmp', '--symlink', '../run', '/var/run'],
    ...['--dev', '/dev', '--proc', '/proc'],
    ...mounts.flatMap((mount) => sized(mountArguments(mount))),
    ...(git === null ? [] : ['--perms', '0644', '--file', next(), git]),
    // The settings of the kernel belong to root, so a command of a root app could change them, capabilities or not.
    ...['--remount-ro', '/proc'],
    // What is left of the root and of /dev is memory without a limit.
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--json-status-fd', next()],
    '--clearenv',
    ...['--chdir', cwd],
  ];
}

/** Leaves out `--size BYTES`. */
const notSize = (option: string, index: number, all: readonly string[]): boolean =>
  option !== '--size' && all[index - 1] !== '--size';

interface Ended {
  readonly end: ProcessEnd;
  readonly output: string;
  readonly tree: NamespaceTree | null;
  readonly policy: SandboxPolicy;
  readonly protection: Protection;
  readonly sentinel: Sentinel;
  readonly group: TaskGroup | null;
  readonly name: string;
}

async function conclude(ended: Ended): Promise<Conclusion> {
  const { end, output, tree, policy, protection, sentinel, group, name } = ended;
  const reached = group?.wasReached() ?? false;
  group?.release();
  const refused = await sentinel.end().finally(() => protection.release());
  const notes = refused.map((path) => `${path} is protected and was moved aside: it may not be created or changed.`);
  const limit = tree?.limit ?? null;
  if (limit !== null) return { end, notes: [treeLimitNote(limit, policy.limits), ...notes] };
  if (end.type === 'exited' && tree?.wasStarted === false) {
    const message = `${name} cannot be started in the sandbox: ${output.trim() || `bwrap ended with ${end.exitCode}`}.`;
    return { end: { type: 'not-started', message }, notes };
  }
  const bomb = reached ? [processesNote(policy.limits)] : [];
  return { end, notes: [...new Set([...bomb, ...explainFailure(end, output, policy), ...notes])] };
}
