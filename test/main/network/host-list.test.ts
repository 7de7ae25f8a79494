import { describe, expect, it } from 'vitest';
import { isListed } from '../../../src/main/network/host-list';

const HOSTS = [
  { host: 'example.com', port: null },
  { host: '*.wild.example', port: null },
  { host: 'odd.example', port: 8443 },
  { host: '*.git.example', port: 22 },
  { host: '1.1.1.1', port: null },
  { host: '[2606:4700::1111]', port: 443 },
];

describe('a list of hosts', () => {
  it.each([
    ['example.com', 80],
    ['example.com', 443],
    ['a.wild.example', 443],
    ['a.b.wild.example', 80],
    ['odd.example', 8443],
    ['a.git.example', 22],
    ['1.1.1.1', 443],
    ['[2606:4700::1111]', 443],
  ])('holds %s at port %d', (host, port) => {
    expect(isListed({ host, port }, HOSTS)).toBe(true);
  });

  it.each([
    ['example.com', 8080],
    ['example.com', 22],
    ['www.example.com', 443],
    ['notexample.com', 443],
    ['example.com.evil.example', 443],
    ['example.com.', 443],
    ['EXAMPLE.com', 443],
    ['wild.example', 443],
    ['.wild.example', 443],
    ['notwild.example', 443],
    ['a.wild.example', 22],
    ['*.wild.example', 22],
    ['odd.example', 443],
    ['odd.example', 80],
    ['a.git.example', 443],
    ['git.example', 22],
    ['1.1.1.2', 443],
    ['2606:4700::1111', 443],
    ['[2606:4700::1111]', 80],
    ['', 443],
  ])('does not hold "%s" at port %d', (host, port) => {
    expect(isListed({ host, port }, HOSTS)).toBe(false);
  });

  it('holds nothing where it is empty', () => {
    expect(isListed({ host: 'example.com', port: 443 }, [])).toBe(false);
  });
});
