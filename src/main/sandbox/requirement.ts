import type { SandboxRequirement } from '@shared/agent-sandbox';
import type { SandboxTier } from '@shared/states';
import { isFinding } from './findings';

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

const OTHERWISE = 'Run it on a machine with a stronger sandbox, or change sandbox.require in its file.';

/** Why a run may not start on this tier, and what would help; null where it may. */
export function requirementProblem(
  tier: SandboxTier,
  demand: SandboxDemand,
): { readonly message: string; readonly hint: string } | null {
  if (meetsRequirement(tier, demand)) return null;
  const missing = missingProtections(tier, demand).join(', ');
  // Of every stronger tier: which of them can be mended is for the operator to know.
  const remedies = (tier.notes ?? []).filter((note) => !isFinding(note));
  return {
    message: `Its file requires a confined sandbox, and this machine offers "${tier.label}" (not enforced: ${missing}).`,
    hint: remedies.length > 0 ? remedies.join(' ') : OTHERWISE,
  };
}

/**
 * Whether dangerous calls of an `auto` run are asked about after all: protections are missing, and the agent file does
 * not accept this tier by its name.
 */
export function isWeak(tier: SandboxTier, demand: SandboxDemand): boolean {
  return !demand.accept.includes(tier.name) && missingProtections(tier, demand).length > 0;
}
