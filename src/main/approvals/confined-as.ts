import type { GrantSandbox } from '@shared/requests';
import { type KeptBy, type SandboxTier, TIER_NAMES } from '@shared/states';

const PROTECTIONS = ['files', 'network', 'processes', 'privileges'] as const;

/** The sandbox that a call is kept by, as far as an approval of it depends on that; null where it is kept by none. */
export function sandboxOf(keptBy: KeptBy, { notes: _, ...sandbox }: SandboxTier): GrantSandbox | null {
  return keptBy === 'sandbox' || keptBy === 'server-sandbox' ? sandbox : null;
}

/**
 * Whether a call is confined at least as it was where its approval was remembered: every protection that held holds, no
 * more of the network is open, and the tier is none that is weaker. What cannot be told does not count as confined. Pure.
 * @param given with the grant; not there in one of an older Sayso, which may have been given in the strongest sandbox
 */
export function isConfinedAs(given: GrantSandbox | null | undefined, now: GrantSandbox | null): boolean {
  if (now === null) return given === null || given === undefined;
  if (given === undefined || given === null) return isStrongest(now);
  if (TIER_NAMES.indexOf(now.name) > TIER_NAMES.indexOf(given.name)) return false;
  if (PROTECTIONS.some((name) => given[name] === 'enforced' && now[name] !== 'enforced')) return false;
  return given.network !== 'enforced' || isWithin(now.hosts ?? [], given.hosts ?? []);
}

/** What no sandbox can be stronger than. */
function isStrongest(sandbox: GrantSandbox): boolean {
  const holdsAll = PROTECTIONS.every((name) => sandbox[name] === 'enforced');
  return sandbox.name === TIER_NAMES[0] && holdsAll && sandbox.hosts === undefined;
}

function isWithin(hosts: readonly string[], others: readonly string[]): boolean {
  return hosts.every((host) => others.includes(host));
}
