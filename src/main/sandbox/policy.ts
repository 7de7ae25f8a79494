import { totalmem } from 'node:os';
import type { SandboxTier } from '@shared/states';
import type { Sandbox } from './process';
import { isWeak, type SandboxDemand } from './requirement';

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

/** What the agent file allows the commands of a run, beyond reading and writing in the workspace. */
export interface SandboxPolicy {
  /** All of the network, this machine's own servers included, or none. */
  readonly network: boolean;
  /** Absolute paths that can be read. */
  readonly read: readonly string[];
  /** Absolute paths that can be written. */
  readonly write: readonly string[];
  /** Paths, absolute or from the workspace, that cannot be written though they lie in what can be. */
  readonly protect: readonly string[];
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

/** The sandbox for one run: the same tier, every process under this policy, and what the policy itself gives away. */
export function confine(sandbox: Sandbox, policy: SandboxPolicy, demand: SandboxDemand): Sandbox {
  return {
    tier: policy.network ? withNetwork(sandbox.tier) : sandbox.tier,
    policy,
    isWeak: isWeak(sandbox.tier, demand),
    run: (spec, io) => sandbox.run({ ...spec, policy }, io),
    open: (spec) => sandbox.open({ ...spec, policy }),
  };
}

function withNetwork(tier: SandboxTier): SandboxTier {
  if (tier.network !== 'enforced') return tier;
  const notes = [...(tier.notes ?? []), 'The agent file opens the network to this run.'];
  return { ...tier, label: `${tier.label}, network open`, network: 'not-enforced', notes };
}
