import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { AllowedHost } from '@shared/agent-hosts';
import { ToolError } from '../tool';
import { bareHost, checkAddresses, checkUrl } from './host-rules';

/** Every address that a name stands for. */
export type Resolver = (name: string) => Promise<readonly string[]>;

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

/** IPv4 first: the older of the runtimes that this has to work on tries the first address alone. */
const systemResolver: Resolver = async (name) =>
  (await lookup(name, { all: true, verbatim: false })).map(({ address }) => address);

const LIMITS: WebLimits = { connectMs: 10_000, totalMs: 60_000, bodyBytes: 1_048_576 };

export function webReach(allowed: readonly AllowedHost[]): WebReach {
  return { allowed, resolve: systemResolver, limits: LIMITS };
}

/**
 * Looks a URL's host up, once, and checks all of it. The connection must go to what comes out and nowhere else: a second
 * look-up might answer differently.
 * @throws ToolError where the host may not be reached or is not known
 */
export async function checkedAddresses(
  url: URL,
  { allowed, resolve }: WebReach,
): Promise<readonly [string, ...string[]]> {
  checkUrl(url, allowed);
  const host = bareHost(url);
  if (isIP(host) !== 0) return [host];
  const [first, ...others] = await resolve(host);
  if (first === undefined) throw new ToolError(`${host} has no address.`);
  checkAddresses(url, [first, ...others], allowed);
  return [first, ...others];
}
