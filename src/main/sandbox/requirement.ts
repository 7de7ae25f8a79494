import type { SandboxRequirement } from '@shared/agent-sandbox';
import type { ApprovalMode, SandboxTier } from '@shared/states';

type Protection = 'files' | 'network' | 'processes' | 'privileges';
const PROTECTIONS: readonly Protection[] = ['files', 'network', 'processes', 'privileges'];

/** What the agent file says about the sandbox of its runs, as far as it is about what has to hold. */
export interface SandboxDemand {
  readonly require: SandboxRequirement;
  /** The agent file opens the network, so nobody expects it to be shut. */
  readonly network: boolean;
  /** Names of tiers that are good enough for the mode `auto` although they lack protections. */
  readonly accept: readonly SandboxTier['name'][];
}

/** Protections that are asked for and were not seen to hold; what is not known does not count as holding. */
export function missingProtections(tier: SandboxTier, demand: Pick<SandboxDemand, 'network'>): Protection[] {
  return PROTECTIONS.filter((name) => tier[name] !== 'enforced' && !(name === 'network' && demand.network));
}

/** `none` and `process` every tier meets; `confined` only one that has every protection. */
export function meetsRequirement(tier: SandboxTier, demand: SandboxDemand): boolean {
  return demand.require !== 'confined' || missingProtections(tier, demand).length === 0;
}

/**
 * The mode in which calls are judged: where protections are missing, dangerous calls of an `auto` run are asked about
 * after all, unless the agent file accepts this tier by its name.
 */
export function effectiveMode(mode: ApprovalMode, tier: SandboxTier, demand: SandboxDemand): ApprovalMode {
  if (mode !== 'auto' || demand.accept.includes(tier.name)) return mode;
  return missingProtections(tier, demand).length === 0 ? mode : 'ask';
}
