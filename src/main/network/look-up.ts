import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { AllowedHost } from '@shared/agent-hosts';
import { addressProblem, bareHost, hostProblem, type Place } from './host-rules';

/** Every address that a name stands for. */
export type Resolver = (name: string) => Promise<readonly string[]>;

export type LookedUp = { readonly addresses: readonly [string, ...string[]] } | { readonly problem: string };

/** IPv4 first: the older of the runtimes that this has to work on tries the first address alone. */
export const systemResolver: Resolver = async (name) =>
  (await lookup(name, { all: true, verbatim: false })).map(({ address }) => address);

/**
 * Looks a host up, once, and checks all that it stands for. The connection must go to what comes out and nowhere else: a
 * second look-up might answer differently.
 * @param allowed what may be reached beyond the public internet
 * @throws what the resolver throws
 */
export async function checkedAddresses(
  place: Place,
  allowed: readonly AllowedHost[],
  resolve: Resolver,
): Promise<LookedUp> {
  const unlikely = hostProblem(place, allowed);
  if (unlikely !== null) return { problem: unlikely };
  const host = bareHost(place.host);
  if (isIP(host) !== 0) return { addresses: [host] };
  const [first, ...others] = await resolve(host);
  if (first === undefined) return { problem: `${host} has no address.` };
  const problem = addressProblem(place, [first, ...others], allowed);
  return problem === null ? { addresses: [first, ...others] } : { problem };
}
