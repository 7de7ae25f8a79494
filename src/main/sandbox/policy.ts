import { totalmem } from 'node:os';
import type { AllowedHost } from '@shared/agent-hosts';
import type { Sandbox } from './process';
import { isWeak, type SandboxDemand } from './requirement';
import { withNetwork } from './tier-network';
import { widened } from './wider/permission';

const GIB = 1024 ** 3;

/** What a command may use up. Each holds for one process, `processes` and `memoryBytes` for the whole tree as well. */
export interface SandboxLimits {
  /** Processor time. */
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  /** Threads count as well. */
  readonly processes: number;
  /** Of one file. */
  readonly fileBytes: number;
  readonly openFiles: number;
}

/** The only hosts that commands reach, through a proxy that keeps to them. */
export interface HostList {
  /** Exact, or `*.name` for every name below it. Not empty. */
  readonly hosts: readonly AllowedHost[];
  /** Which of them may stand for an address that is not on the public internet. */
  readonly privateHosts: readonly AllowedHost[];
}

/** What the agent file allows the commands of a run, beyond reading and writing in the workspace. */
export interface SandboxPolicy {
  /** All of the network, this machine's own servers included, none of it, or some hosts. */
  readonly network: boolean | HostList;
  /** Absolute paths that can be read. */
  readonly read: readonly string[];
  /** Absolute paths that can be written. */
  readonly write: readonly string[];
  /**
   * Where those of the two that lead through links led when the run began. What leads elsewhere since then, or through
   * links and is not named here, is not opened.
   */
  readonly links?: Readonly<Record<string, string>>;
  /** Paths, absolute or from the workspace, that cannot be written though they lie in what can be. */
  readonly protect: readonly string[];
  /** The same for agent files and folders of them, absolute: a run is not to write what decides how the next one runs. */
  readonly own?: readonly string[];
  /**
   * Repositories in what can be written, by the tops of their working trees, in which git is not to start anything of the
   * run's: those that were there before it. Absolute.
   */
  readonly repositories?: readonly string[];
  readonly limits: SandboxLimits;
}

/** Generous: they end what went wild, not a large build. */
export const DEFAULT_LIMITS: SandboxLimits = {
  cpuSeconds: 3_600,
  memoryBytes: Math.min(8 * GIB, Math.floor(totalmem() * 0.75)),
  processes: 2_048,
  fileBytes: 4 * GIB,
  openFiles: 4_096,
};

export const DEFAULT_POLICY: SandboxPolicy = {
  network: false,
  read: [],
  write: [],
  protect: [],
  limits: DEFAULT_LIMITS,
};

/** The hosts that are all a command reaches; null where it reaches everything or nothing. */
export const hostListOf = ({ network }: Pick<SandboxPolicy, 'network'>): HostList | null =>
  typeof network === 'boolean' ? null : network;

/** The policy of a command in a tier that cannot keep it to a list of hosts: it has no network then. */
export const withoutHosts = (policy: SandboxPolicy): SandboxPolicy =>
  hostListOf(policy) === null ? policy : { ...policy, network: false };

/** The sandbox for one run: the same tier, every process under this policy, and what the policy itself gives away. */
export function confine(sandbox: Sandbox, policy: SandboxPolicy, demand: SandboxDemand): Sandbox {
  return {
    tier: withNetwork(sandbox.tier, policy.network),
    policy,
    ...(sandbox.hidden === undefined ? {} : { hidden: sandbox.hidden }),
    isWeak: isWeak(sandbox.tier, demand),
    run: ({ beyond = [], ...spec }, io) => sandbox.run({ ...spec, policy: widened(policy, beyond) }, io),
    offer: async (wanted, place) => (await sandbox.offer?.(wanted, { ...place, policy })) ?? [],
    open: (spec) => sandbox.open({ ...spec, policy }),
  };
}
