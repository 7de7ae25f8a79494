import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Resolver } from '../../network/look-up';
import type { SandboxPolicy } from '../policy';
import type { Openings } from '../reach/openings';
import type { Command } from '../run-command';
import type { BwrapHost } from './host';
import { type Mount, mountAt } from './mounts';
import { bwrapOptions } from './options';
import { type Protection, protectPaths } from './protected-paths';
import { Sentinel } from './sentinel';
import type { Surroundings, SurroundingsFinder } from './surroundings';
import { arrangeView, checkProgram, nameService } from './view';

export interface BwrapParts {
  readonly host: BwrapHost;
  readonly surroundings: SurroundingsFinder;
  /** The seccomp filter; null for the tier without. */
  readonly filter: Buffer | null;
  /** Real paths that no command gets to see, whatever its policy says: the app's own data. */
  readonly hidden: readonly string[];
  /** What looks up the names of a list of hosts; the system where it is not given. */
  readonly resolve?: Resolver | undefined;
}

export interface Preparation {
  readonly command: Command;
  readonly policy: SandboxPolicy;
  readonly parts: BwrapParts;
  readonly surroundings: Surroundings;
  readonly openings: Openings;
  /** Files that have to be there for the network, beyond what names are looked up with. */
  readonly runtime: readonly string[];
  /** Exactly what the command gets. */
  readonly environment: Readonly<Record<string, string>>;
  readonly firstFd: number;
  /** Whether it waits, when its mounts are made, for a word on the last of its descriptors. */
  readonly isHeld: boolean;
  /** Ends the command that keeps making what is protected. */
  readonly endCommand: () => void;
}

export interface Prepared {
  /** The options, the filter, the git configuration. */
  readonly feeds: readonly Buffer[];
  readonly protection: Protection;
  readonly sentinel: Sentinel;
  /** All that the command sees. */
  readonly mounts: readonly Mount[];
}

/** What bwrap has to know, and what has to be there before it does anything. */
export async function prepare({
  command,
  policy,
  parts,
  surroundings,
  openings,
  runtime,
  environment,
  firstFd,
  isHeld,
  endCommand,
}: Preparation): Promise<Prepared> {
  const { spec, program } = command;
  const { host, filter, hidden } = parts;
  const { workspace, cwd } = spec;
  const looked = Promise.all([policy.network === true ? nameService() : [], realpath(program)]);
  looked.catch(() => undefined);
  const protection = await protectPaths(
    [workspace, ...openings.write],
    {
      protect: policy.protect,
      keep: [...(policy.own ?? []), ...openings.keep],
      unseen: hidden[0] ?? null,
    },
    policy.repositories,
  );
  try {
    const [names, real] = await looked;
    const mounts = arrangeView({
      workspace,
      openings,
      network: [...names, ...runtime.map((path): Mount => ({ kind: 'read', path }))],
      surroundings: surroundings.mounts,
      protection: protection.mounts,
      hidden,
    });
    checkProgram(program, real, mounts);
    const git = host.gitIdentity;
    const path = gitPath(surroundings, mounts);
    let fd = firstFd + 1;
    const filterFd = filter === null ? null : fd++;
    const options = bwrapOptions({
      host,
      policy,
      mounts,
      cwd,
      environment,
      filterFd,
      git: git === null ? null : { path: path ?? NOWHERE, fd: fd++ },
      reportFd: fd++,
      holdFd: isHeld ? fd : null,
    });
    const identity = path === null ? Buffer.alloc(0) : git;
    const feeds = [options, filter, git === null ? null : identity].filter((feed) => feed !== null);
    return { feeds, protection, sentinel: new Sentinel(workspace, protection, endCommand), mounts };
  } catch (error) {
    protection.release();
    throw error;
  }
}

/** How many descriptors bwrap reads from here. */
export const readsOf = ({ host, filter }: BwrapParts): number =>
  1 + (filter === null ? 0 : 1) + (host.gitIdentity === null ? 0 : 1);

/** An empty file, where there is no place for a git configuration: bwrap closes only what it reads. */
const NOWHERE = '/run/nothing';

/** Only in the home that is the sandbox's own, never in a folder of this machine; else null. */
function gitPath({ home }: Surroundings, mounts: readonly Mount[]): string | null {
  const path = join(home, '.gitconfig');
  return mountAt(path, mounts)?.kind === 'private' ? path : null;
}
