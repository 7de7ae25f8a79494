import { realpath } from 'node:fs/promises';
import { createBwrapTier } from './bwrap/bwrap-tier';
import { findBwrapHost } from './bwrap/host';
import { type ProbeResult, probe } from './probe';
import type { Sandbox } from './process';
import { createProcessTier } from './process-tier';
import { bwrapProblem, unshareProblem } from './remedies';
import { createSeatbeltTier } from './seatbelt-tier';
import { seccompFilter } from './seccomp/filter';
import { createUnshareTier, findUnshareHost } from './unshare-tier';

export interface SandboxChoice {
  /** Stable for one data folder, so that the next start of the app finds what a crash left. */
  readonly instanceId: string;
  /** The app's own data: no command ever gets to see it, and the probe puts its targets there. */
  readonly dataFolder: string;
  /** What else decides what runs, as it is known at the time: nothing of it is opened to a command by an answer. */
  readonly own?: () => readonly string[];
  readonly platform?: NodeJS.Platform;
  /** Where to look for bubblewrap, if not in the system's own places. */
  readonly bwrapPlaces?: readonly string[];
  /** What the tier unshare needs, if not the system's own. */
  readonly unshareTools?: readonly string[];
}

/**
 * The strongest tier that works on this machine, with what the probe found to hold. For the start of the app, once: a
 * tier that is weaker than it could be says so in its notes.
 */
export async function chooseSandbox(choice: SandboxChoice): Promise<Sandbox> {
  const platform = choice.platform ?? process.platform;
  const notes: string[] = [];
  const hidden = [await realpath(choice.dataFolder)];
  for await (const candidate of candidates(platform, choice, hidden, notes)) {
    const result = await probe(candidate, choice.dataFolder).catch(
      (error: unknown): ProbeResult => ({
        works: false,
        reason: error instanceof Error ? error.message : String(error),
      }),
    );
    if (result.works) {
      const tier = { ...result.tier, notes: [...new Set([...(result.tier.notes ?? []), ...notes])] };
      return { ...candidate, tier, hidden };
    }
    notes.push(await why(candidate, result.reason, notes));
  }
  return { ...createProcessTier(choice.instanceId, [...new Set(notes)]), hidden };
}

async function why({ tier }: Sandbox, reason: string, told: readonly string[]): Promise<string> {
  if (tier.name === 'unshare') return unshareProblem(reason, told);
  return tier.name.startsWith('bubblewrap') ? bwrapProblem(reason) : `${tier.label} does not work here: ${reason}`;
}

async function* candidates(
  platform: NodeJS.Platform,
  { instanceId, own, bwrapPlaces, unshareTools }: SandboxChoice,
  hidden: readonly string[],
  notes: string[],
): AsyncGenerator<Sandbox> {
  if (platform === 'darwin') yield createSeatbeltTier(instanceId, hidden);
  if (platform !== 'linux') return;
  const host = await findBwrapHost(bwrapPlaces);
  if (host === null) notes.push(await bwrapProblem(null));
  else {
    const filter = seccompFilter();
    if (filter === null) notes.push(`There is no filter of system calls for this processor (${process.arch}).`);
    else yield createBwrapTier({ instanceId, host, filter, hidden, ...(own === undefined ? {} : { own }) });
    yield createBwrapTier({ instanceId, host, filter: null, hidden, ...(own === undefined ? {} : { own }) });
  }
  const unshare = await findUnshareHost(unshareTools);
  if (unshare === null) notes.push(await unshareProblem(null, notes));
  else yield createUnshareTier(instanceId, unshare);
}
