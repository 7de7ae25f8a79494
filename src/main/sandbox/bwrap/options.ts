import type { SandboxPolicy } from '../policy';
import type { BwrapHost } from './host';
import { type Mount, mountArguments } from './mounts';

export interface OptionParts {
  readonly host: BwrapHost;
  readonly policy: SandboxPolicy;
  readonly mounts: readonly Mount[];
  readonly cwd: string;
  /** Exactly what the command gets. */
  readonly environment: Readonly<Record<string, string>>;
  /** The descriptor of the seccomp filter; null for none. */
  readonly filterFd: number | null;
  /** The git configuration: the descriptor that it is read from, and where it is put. */
  readonly git: { readonly path: string; readonly fd: number } | null;
  /** The descriptor on which it waits for a word once its mounts are made, before the command starts; null for no wait. */
  readonly holdFd: number | null;
  readonly reportFd: number;
}

/** The options of bwrap, as it reads them from a descriptor. */
export function bwrapOptions(parts: OptionParts): Buffer {
  const { host, policy, mounts, cwd, environment, filterFd, git, holdFd, reportFd } = parts;
  const sized = (options: string[]): string[] => (host.canLimitSize ? options : options.filter(notSize));
  const options = [
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(policy.network === true ? [] : ['--unshare-net']),
    ...(host.canForbidNamespaces ? ['--disable-userns'] : []),
    ...['--cap-drop', 'ALL'],
    '--die-with-parent',
    '--new-session',
    ...(filterFd === null ? [] : ['--seccomp', String(filterFd)]),
    ...[...host.systemLinks].flatMap(([path, target]) => ['--symlink', target, path]),
    ...['--dir', '/run', '--dir', '/var', '--symlink', '../tmp', '/var/tmp', '--symlink', '../run', '/var/run'],
    ...['--dev', '/dev', '--proc', '/proc'],
    ...mounts.flatMap((mount) => sized(mountArguments(mount))),
    ...(git === null ? [] : ['--perms', '0644', '--file', String(git.fd), git.path]),
    // The settings of the kernel belong to root, so a command of a root app could change them, capabilities or not.
    ...['--remount-ro', '/proc'],
    // What is left of the root and of /dev is memory without a limit.
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--json-status-fd', String(reportFd)],
    ...(holdFd === null ? [] : ['--block-fd', String(holdFd)]),
    '--clearenv',
    ...['--chdir', cwd],
    ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
  return Buffer.from(options.map((option) => `${option}\0`).join(''));
}

/** Leaves out `--size BYTES`. */
const notSize = (option: string, index: number, all: readonly string[]): boolean =>
  option !== '--size' && all[index - 1] !== '--size';
