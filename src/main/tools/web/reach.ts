import type { AllowedHost } from '@shared/agent-hosts';
import { checkedAddresses, type Resolver, systemResolver } from '../../network/look-up';
import { ToolError } from '../tool';
import { checkUrl, placeOf } from './check-url';

export interface WebLimits {
  /** Until a connection stands, encryption included, in milliseconds. */
  readonly connectMs: number;
  /** From the look-up of the name to the last byte, redirects included, in milliseconds. */
  readonly totalMs: number;
  /** How much of an answer is read, before and after it is decompressed, in bytes. */
  readonly bodyBytes: number;
}

/** What the web tools of an agent may reach. */
export interface WebReach {
  /** Beyond the public internet. */
  readonly allowed: readonly AllowedHost[];
  readonly resolve: Resolver;
  readonly limits: WebLimits;
}

const LIMITS: WebLimits = { connectMs: 10_000, totalMs: 60_000, bodyBytes: 1_048_576 };

export function webReach(allowed: readonly AllowedHost[]): WebReach {
  return { allowed, resolve: systemResolver, limits: LIMITS };
}

/**
 * Looks a URL's host up, once, and checks all of it. The connection must go to what comes out and nowhere else.
 * @throws ToolError where the host may not be reached; what the resolver throws
 */
export async function reachableAddresses(
  url: URL,
  { allowed, resolve }: WebReach,
): Promise<readonly [string, ...string[]]> {
  checkUrl(url, allowed);
  const found = await checkedAddresses(placeOf(url), allowed, resolve);
  if ('problem' in found) throw new ToolError(found.problem);
  return found.addresses;
}
