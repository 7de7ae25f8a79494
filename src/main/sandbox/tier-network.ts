import type { SandboxTier } from '@shared/states';
import { entryText } from '../network/host-list';
import type { HostList } from './policy';

/** So many are named to the operator; the others are counted. */
const MAX_NAMED = 10;

/** Whether a tier can keep commands to a list of hosts. The others have all of the network or none. */
export const KEEPS_LISTS: Readonly<Record<SandboxTier['name'], 'yes' | 'no-network' | 'open'>> = {
  'bubblewrap-seccomp': 'yes',
  bubblewrap: 'yes',
  // Its `lo` is down, and nothing that is always there could bring it up.
  unshare: 'no-network',
  // Not tried on a Mac.
  'sandbox-exec': 'no-network',
  process: 'open',
};

/** The tier as it is for the commands of one agent: what its file opens of the network is part of it. */
export function withNetwork(tier: SandboxTier, network: boolean | HostList): SandboxTier {
  if (network === false) return tier;
  const told = (label: string, note: string, change: Partial<SandboxTier> = {}): SandboxTier => {
    return { ...tier, label: `${tier.label}, ${label}`, notes: [...(tier.notes ?? []), note], ...change };
  };
  if (network === true) {
    if (tier.network !== 'enforced') return tier;
    return told('network open', 'The agent file opens the network to this run.', { network: 'not-enforced' });
  }
  const { length } = network.hosts;
  const count = length === 1 ? '1 host' : `${length} hosts`;
  switch (KEEPS_LISTS[tier.name]) {
    case 'yes':
      return told(`network: ${count}`, `The agent file opens the network to this run for ${named(network)} only.`, {
        hosts: network.hosts.map(entryText),
      });
    case 'no-network':
      return told(`network: none of ${count}`, 'This tier cannot keep to a list of hosts: commands have no network.');
    case 'open':
      return told(`network: not only ${count}`, 'This tier cannot keep to a list of hosts: commands reach every one.');
  }
}

function named({ hosts }: HostList): string {
  const texts = hosts.slice(0, MAX_NAMED).map(entryText);
  return hosts.length > MAX_NAMED ? `${texts.join(', ')} and ${hosts.length - MAX_NAMED} more` : texts.join(', ');
}
