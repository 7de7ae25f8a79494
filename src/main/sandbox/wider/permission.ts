import type { AllowedHost } from '@shared/agent-hosts';
import type { Allowance } from '@shared/allowances';
import type { SandboxTier } from '@shared/states';
import { entryText } from '../../network/host-list';
import type { SandboxPolicy } from '../policy';

/**
 * Something more that one execution may do. It is made by `offerAll` alone, after a look at the place; what was on record
 * or came from a window is no permission. Nothing keeps it: it is handed to one execution, and is gone with it.
 */
export class Permission {
  /** Makes the type one that no object literal can stand in for. */
  readonly #checked = true;

  private constructor(
    readonly allowance: Allowance,
    /** Of the very file or folder that was looked at; empty for the network. */
    readonly identity: string,
  ) {}

  /** For `offerAll`, which has looked. */
  static afterALook(allowance: Allowance, identity: string): Permission {
    return new Permission(allowance, identity);
  }

  get isChecked(): boolean {
    return this.#checked;
  }
}

/** The policy of one execution: that of the run, and what this one may do beyond it. */
export function widened(policy: SandboxPolicy, beyond: readonly Permission[]): SandboxPolicy {
  if (beyond.length === 0) return policy;
  const paths = (wanted: 'read' | 'write') =>
    beyond.flatMap(({ allowance }) => (allowance.kind === wanted ? [allowance.path] : []));
  return {
    ...policy,
    network: widenedNetwork(policy.network, beyond),
    read: [...policy.read, ...paths('read')],
    write: [...policy.write, ...paths('write')],
  };
}

function widenedNetwork(network: SandboxPolicy['network'], beyond: readonly Permission[]): SandboxPolicy['network'] {
  if (network === true || opensAll(beyond)) return true;
  const more = hostsIn(beyond);
  if (more.length === 0) return network;
  const { hosts, privateHosts } = network === false ? { hosts: [], privateHosts: [] } : network;
  return { hosts: [...hosts, ...more], privateHosts };
}

/** The tier as it is for one execution. */
export function tierWith(tier: SandboxTier, beyond: readonly Permission[]): SandboxTier {
  const { hosts = [], ...rest } = tier;
  const told = (label: string, change: Partial<SandboxTier>): SandboxTier => ({
    ...rest,
    label: `${tier.label}, ${label}`,
    notes: [...(tier.notes ?? []), `For this one command: ${label}.`],
    ...change,
  });
  if (opensAll(beyond)) return tier.network === 'enforced' ? told('network open', { network: 'not-enforced' }) : tier;
  const more = hostsIn(beyond);
  if (more.length === 0) return tier;
  const words = more.length === 1 ? '1 more host' : `${more.length} more hosts`;
  return told(`network: ${words}`, { hosts: [...hosts, ...more.map(entryText)] });
}

const opensAll = (beyond: readonly Permission[]): boolean =>
  beyond.some(({ allowance }) => allowance.kind === 'network' && allowance.host === null);

function hostsIn(beyond: readonly Permission[]): AllowedHost[] {
  return beyond.flatMap(({ allowance }) =>
    allowance.kind === 'network' && allowance.host !== null ? [{ host: allowance.host, port: allowance.port }] : [],
  );
}
