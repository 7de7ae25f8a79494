import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { AllowedHost } from '@shared/agent-hosts';
import { addressKind, isInBlock, KIND_WORDS, PRIVATE_KINDS } from './address';

/** Somewhere to connect to. */
export interface Place {
  /** As the URL standard writes it: lower case, an IPv6 address in brackets. */
  readonly host: string;
  readonly port: number;
}

/** The ports of http and https. */
export const WEB_PORTS: readonly number[] = [80, 443];

/** Names that never stand for a host of the public internet (RFC 6761, 6762, 8375, and ICANN on `internal`). */
const LOCAL_NAME = /(^|\.)(localhost|local|internal|home\.arpa)$/;

/** A wider network than this is no local one, whatever the netmask of an interface says. */
const WIDEST_LOCAL: Readonly<Record<'IPv4' | 'IPv6', number>> = { IPv4: 16, IPv6: 48 };

/** A host without the brackets of an IPv6 address. */
export const bareHost = (host: string): string => host.replace(/^\[|\]$/g, '');

/** Whether a place stands in a list, exactly. */
export function isAllowed({ host, port }: Place, allowed: readonly AllowedHost[]): boolean {
  return allowed.some(
    (entry) => entry.host === host && (entry.port === null ? WEB_PORTS.includes(port) : entry.port === port),
  );
}

/**
 * Why a host cannot be reached, as far as that shows before any name is looked up: it is no host of the public internet,
 * and `allowed`, the `private_hosts` of the agent file, does not name it. null where nothing speaks against it.
 */
export function hostProblem(place: Place, allowed: readonly AllowedHost[]): string | null {
  if (isAllowed(place, allowed)) return null;
  const host = bareHost(place.host);
  if (isIP(host) !== 0) return addressProblem(place, [host], allowed);
  if (host.endsWith('.')) return `${shown(host)} ends with a dot: write the name without it.`;
  if (!host.includes('.') || LOCAL_NAME.test(host)) return refused(place, 'is not a name of the public internet');
  return null;
}

/**
 * Why a host cannot be reached at the addresses that it stands for; null where it can at all of them. One that will not do
 * is enough: whoever answers for a name must not be able to mix.
 */
export function addressProblem(
  place: Place,
  addresses: readonly string[],
  allowed: readonly AllowedHost[],
): string | null {
  const host = bareHost(place.host);
  const may = isAllowed(place, allowed);
  // The operator wrote this very address.
  if (may && isIP(host) !== 0) return null;
  const own = localNetworks();
  for (const address of addresses) {
    const kind = addressKind(address);
    const isLocal = own.some((network) => isInBlock(address, network));
    if (may ? PRIVATE_KINDS.has(kind) : kind === 'public' && !isLocal) continue;
    const words = kind === 'public' ? 'an address in a network of this machine' : KIND_WORDS[kind];
    if (may) return `${shown(host)} stands for ${address}, ${words}: no name may stand for that.`;
    return refused(place, address === host ? `is ${words}` : `stands for ${address}, ${words}`);
  }
  return null;
}

/** A public address may be this machine's own, or its neighbour's at home: with IPv6 most are public. */
function localNetworks(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .flatMap(({ cidr, family, address }) => {
      const own = `${address}/${family === 'IPv4' ? 32 : 128}`;
      return cidr !== null && Number(cidr.split('/')[1]) >= WIDEST_LOCAL[family] ? [own, cidr] : [own];
    });
}

/** `name`, or `name:port` where that is none of the ports of the web. */
export const placeName = ({ host, port }: Place): string =>
  WEB_PORTS.includes(port) ? shown(host) : `${shown(host)}:${port}`;

const shown = (host: string): string => (host.length > 100 ? `${host.slice(0, 100)}…` : host);

/** A refusal that the agent file could lift. */
export function refused(place: Place, why: string): string {
  const entry = placeName(place);
  return `${shown(bareHost(place.host))} ${why}. It cannot be reached unless the agent file lists ${entry} under private_hosts.`;
}
