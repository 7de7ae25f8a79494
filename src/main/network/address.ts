import { isIPv4, isIPv6 } from 'node:net';

/**
 * What an address stands for, as far as reaching it goes. `public` is the only kind that needs no leave; an allowed name
 * may stand for one of `PRIVATE_KINDS`; all others are reached only where the agent file writes the very address.
 */
export type AddressKind =
  | 'public'
  | 'loopback'
  | 'private'
  | 'carrier'
  | 'metadata'
  | 'link-local'
  | 'multicast'
  | 'translated'
  | 'reserved';

/** Where a host of one's own lies. */
export const PRIVATE_KINDS: ReadonlySet<AddressKind> = new Set(['public', 'loopback', 'private', 'carrier']);

/** What each kind is called where a call is refused because of it. */
export const KIND_WORDS: Readonly<Record<AddressKind, string>> = {
  public: 'a public address',
  loopback: 'an address of this machine',
  private: 'a private address',
  carrier: 'an address inside a provider’s network',
  metadata: 'an address where clouds hand out credentials',
  'link-local': 'a link-local address',
  multicast: 'a multicast address',
  translated: 'an IPv6 address that stands for an IPv4 one',
  reserved: 'a reserved address',
};

/** An address as a number. */
interface Bits {
  readonly width: 32 | 128;
  readonly value: bigint;
}

/** A block of addresses: those whose first `prefix` bits are the same. */
interface Block extends Bits {
  readonly prefix: number;
}

/**
 * The first block that an address lies in gives its kind. From IANA's registries of special-purpose addresses, IPv4 and
 * IPv6 (RFC 6890 and what came after it), and, for `metadata`, what Amazon, Google, Azure, Oracle and Alibaba document;
 * 168.63.129.16 of Azure would otherwise be a public address.
 */
const BLOCKS: readonly (readonly [AddressKind, readonly Block[]])[] = (
  [
    [
      'metadata',
      '169.254.169.254/32 168.63.129.16/32 192.0.0.192/32 100.100.100.200/32 fd00:ec2::254/128 fd20:ce::254/128',
    ],
    ['loopback', '127.0.0.0/8 ::1/128'],
    ['private', '10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7'],
    ['carrier', '100.64.0.0/10'],
    ['link-local', '169.254.0.0/16 fe80::/10'],
    ['multicast', '224.0.0.0/4 ff00::/8'],
    // Mapped, translated (SIIT, NAT64), 6to4, Teredo: the IPv4 address inside is where the packets would end.
    ['translated', '::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 2002::/16 2001::/32'],
    [
      'reserved',
      '0.0.0.0/8 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4 ' +
        '2001::/23 2001:db8::/32 3fff::/20',
    ],
    ['public', '0.0.0.0/0 2000::/3'],
    ['reserved', '::/0'],
  ] as const
).map(([kind, blocks]) => [kind, blocks.split(' ').map(parseBlock)]);

/** What an address in text form stands for. A text that is no address, or one with a zone, is `reserved`. */
export function addressKind(address: string): AddressKind {
  const bits = parseAddress(address);
  if (bits === null) return 'reserved';
  if (isInterfaceForIpv4(bits)) return 'translated';
  return BLOCKS.find(([, blocks]) => blocks.some((block) => isIn(bits, block)))?.[0] ?? 'reserved';
}

/**
 * Whether an address lies in a block.
 * @param block an address and how many of its bits count: `192.168.0.0/16`
 */
export function isInBlock(address: string, block: string): boolean {
  const bits = parseAddress(address);
  return bits !== null && isIn(bits, parseBlock(block));
}

function parseBlock(text: string): Block {
  const [address = '', prefix = ''] = text.split('/');
  const bits = parseAddress(address);
  if (bits === null || !/^\d+$/.test(prefix)) throw new Error(`${text} is no block of addresses`);
  return { ...bits, prefix: Number(prefix) };
}

function isIn(address: Bits, block: Block): boolean {
  const rest = BigInt(block.width - block.prefix);
  return address.width === block.width && address.value >> rest === block.value >> rest;
}

/** ISATAP puts an IPv4 address into the lower half, whatever the upper half is (RFC 5214). */
function isInterfaceForIpv4({ width, value }: Bits): boolean {
  const marker = (value >> 32n) & 0xffff_ffffn;
  return width === 128 && (marker === 0x0000_5efen || marker === 0x0200_5efen);
}

function parseAddress(address: string): Bits | null {
  if (isIPv4(address)) return { width: 32, value: joined(address.split('.').map(Number), 8n) };
  if (!isIPv6(address) || address.includes('%')) return null;
  const [head = '', tail] = address.split('::');
  const first = groupsOf(head);
  const last = groupsOf(tail ?? '');
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  return { width: 128, value: joined([...first, ...Array<number>(zeros).fill(0), ...last], 16n) };
}

/** The groups of 16 bits in a part of an IPv6 address, of which the last two may be written as an IPv4 address. */
function groupsOf(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

function joined(parts: readonly number[], size: bigint): bigint {
  return parts.reduce((value, part) => (value << size) | BigInt(part), 0n);
}
