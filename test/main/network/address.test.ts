import { describe, expect, it } from 'vitest';
import { type AddressKind, addressKind, isInBlock, PRIVATE_KINDS } from '../../../src/main/network/address';

const KINDS: Readonly<Record<AddressKind, readonly string[]>> = {
  public: [
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2001:200::1',
    '2001:4860:4860::8888',
    '2606:4700:4700::1111',
    '2a00:1450:4001:80b::200e',
    '3ffe::1',
  ],
  loopback: ['127.0.0.1', '127.0.0.0', '127.1.2.3', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1', '0000::0001'],
  private: [
    '10.0.0.0',
    '10.255.255.255',
    '172.16.0.0',
    '172.31.255.255',
    '192.168.0.1',
    '192.168.255.255',
    'fc00::',
    'fd12:3456:789a::1',
    'FDFF:FFFF::1',
    'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  ],
  carrier: ['100.64.0.0', '100.100.100.199', '100.127.255.255'],
  metadata: ['169.254.169.254', '168.63.129.16', '192.0.0.192', '100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254'],
  'link-local': ['169.254.0.0', '169.254.170.2', '169.254.255.255', 'fe80::1', 'febf:ffff::1'],
  multicast: ['224.0.0.1', '239.255.255.250', 'ff02::1', 'ff0e::1'],
  translated: [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::FFFF:8.8.8.8',
    '0:0:0:0:0:ffff:10.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::10.0.0.1',
    '2002:7f00:1::',
    '2002:808:808::1',
    '2001::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2a00:1450::5efe:127.0.0.1',
    '2a00:1450::200:5efe:a00:1',
  ],
  reserved: [
    '0.0.0.0',
    '0.1.2.3',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.7',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::2',
    '::127.0.0.1',
    '::8.8.8.8',
    '100::1',
    '2001:2::1',
    '2001:20::1',
    '2001:1ff::1',
    '2001:db8::1',
    '3fff::1',
    '4000::1',
    '5f00::1',
    'fec0::1',
    // Not addresses, or not in the one form that a look-up gives.
    '',
    'localhost',
    '127.1',
    '0127.0.0.1',
    '1.2.3.4.5',
    '8.8.8.8 ',
    'fe80::1%lo',
    '2606:4700::1%1',
    '[::1]',
    '1::2::3',
  ],
};

const table = Object.entries(KINDS).flatMap(([kind, addresses]) =>
  addresses.map((address) => [address, kind] as const),
);

describe('an address', () => {
  it.each(table)('"%s" is %s', (address, kind) => {
    expect(addressKind(address)).toBe(kind);
  });

  it('is reached for the name of an own host only where such hosts lie', () => {
    expect([...PRIVATE_KINDS]).toEqual(['public', 'loopback', 'private', 'carrier']);
  });

  it.each([
    ['192.168.7.9', '192.168.4.0/22', true],
    ['192.168.8.0', '192.168.4.0/22', false],
    ['2a02:8070:1::7', '2a02:8070:1::1/64', true],
    ['2a02:8070:1:1::7', '2a02:8070:1::1/64', false],
    ['1.2.3.4', '0.0.0.0/0', true],
    ['::1', '0.0.0.0/0', false],
    ['1.2.3.4', '::/0', false],
    ['localhost', '::/0', false],
  ])('"%s" is in the block %s: %s', (address, block, inside) => {
    expect(isInBlock(address, block)).toBe(inside);
  });
});
