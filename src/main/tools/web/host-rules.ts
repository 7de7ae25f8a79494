import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { AllowedHost } from '@shared/agent-hosts';
import { ToolError } from '../tool';
import { addressKind, isInBlock, KIND_WORDS, PRIVATE_KINDS } from './address';

/** The ports of http and https. */
const WEB_PORTS: readonly number[] = [80, 443];
/** Below it are the ports of other well-known services, which must not be spoken to in HTTP. */
const FIRST_FREE_PORT = 1_024;

/** Names that never stand for a host of the public internet (RFC 6761, 6762, 8375, and ICANN on `internal`). */
const LOCAL_NAME = /(^|\.)(localhost|local|internal|home\.arpa)$/;

/** A wider network than this is no local one, whatever the netmask of an interface says. */
const WIDEST_LOCAL: Readonly<Record<'IPv4' | 'IPv6', number>> = { IPv4: 16, IPv6: 48 };

/** The host of a URL, without brackets where it is an IPv6 address. */
export const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

export const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);

export function isAllowed(url: URL, allowed: readonly AllowedHost[]): boolean {
  const port = portOf(url);
  return allowed.some(
    (entry) => entry.host === url.hostname && (entry.port === null ? WEB_PORTS.includes(port) : entry.port === port),
  );
}

/**
 * Checks, before any name is looked up, that a URL may be requested.
 * @throws ToolError that says why not
 */
export function checkUrl(url: URL, allowed: readonly AllowedHost[]): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ToolError(`${url.protocol} is not supported: only http: and https: are.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ToolError('The URL holds a user name or a password: no credentials are sent.');
  }
  if (isAllowed(url, allowed)) return;
  const host = bareHost(url);
  if (isIP(host) !== 0) checkAddresses(url, [host], allowed);
  else if (host.endsWith('.')) throw new ToolError(`${shown(host)} ends with a dot: write the name without it.`);
  else if (!host.includes('.') || LOCAL_NAME.test(host)) throw refused(url, 'is not a name of the public internet');
  const port = portOf(url);
  if (!WEB_PORTS.includes(port) && port < FIRST_FREE_PORT) {
    throw refused(url, `is asked for on port ${port}, which belongs to another service`);
  }
}

/**
 * Checks every address that a host stands for. One that will not do is enough: whoever answers for a name must not be
 * able to mix.
 * @throws ToolError that says why not
 */
export function checkAddresses(url: URL, addresses: readonly string[], allowed: readonly AllowedHost[]): void {
  const host = bareHost(url);
  const may = isAllowed(url, allowed);
  // The operator wrote this very address.
  if (may && isIP(host) !== 0) return;
  const own = localNetworks();
  for (const address of addresses) {
    const kind = addressKind(address);
    const isLocal = own.some((network) => isInBlock(address, network));
    if (may ? PRIVATE_KINDS.has(kind) : kind === 'public' && !isLocal) continue;
    const words = kind === 'public' ? 'an address in a network of this machine' : KIND_WORDS[kind];
    if (may) throw new ToolError(`${shown(host)} stands for ${address}, ${words}: no name may stand for that.`);
    throw refused(url, address === host ? `is ${words}` : `stands for ${address}, ${words}`);
  }
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

const shown = (host: string): string => (host.length > 100 ? `${host.slice(0, 100)}…` : host);

function refused(url: URL, why: string): ToolError {
  const host = shown(bareHost(url));
  return new ToolError(
    `${host} ${why}. It cannot be reached unless the agent file lists ${shown(url.host)} under private_hosts.`,
  );
}
