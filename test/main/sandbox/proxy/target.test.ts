import { describe, expect, it } from 'vitest';
import { readTarget } from '../../../../src/main/sandbox/proxy/target';

const tunnel = (host: string, port: number) => ({ kind: 'tunnel', place: { host, port } });
const request = (host: string, port: number, path: string) => ({ kind: 'request', place: { host, port }, path });

describe('a tunnel is asked for', () => {
  it.each([
    ['example.com:443', tunnel('example.com', 443)],
    ['EXAMPLE.com:443', tunnel('example.com', 443)],
    ['example.com:65535', tunnel('example.com', 65_535)],
    ['a_b.example:1', tunnel('a_b.example', 1)],
    ['127.0.0.1:80', tunnel('127.0.0.1', 80)],
    ['[::1]:80', tunnel('[::1]', 80)],
    ['[::ffff:7f00:1]:80', tunnel('[::ffff:7f00:1]', 80)],
  ])('%s', (authority, target) => {
    expect(readTarget('CONNECT', authority, [])).toEqual(target);
  });

  it.each([
    '',
    ':443',
    'example.com',
    'example.com:',
    'example.com:0',
    'example.com:0443',
    'example.com:65536',
    'example.com:99999999999',
    'example.com:https',
    'example.com:443:443',
    'example.com:443/',
    'example.com :443',
    'user@example.com:443',
    'user:word@example.com:443',
    'http://example.com:443',
    '//example.com:443',
    '*:443',
    '*.example.com:443',
    'exa%6dple.com:443',
    'ex\u00e4mple.com:443',
    'example.com\0:443',
    'example.com\r\n:443',
    // Other spellings of 127.0.0.1, and of addresses behind IPv6.
    '0x7f.1:80',
    '127.1:80',
    '2130706433:80',
    '017700000001:80',
    '127.0.0.1.:80',
    '127.0.0.01:80',
    '[::ffff:127.0.0.1]:80',
    '[0:0:0:0:0:0:0:1]:80',
    '[::1%25lo]:80',
    '[::1:80',
    '::1:80',
    `${'a'.repeat(254)}:80`,
  ])('%j is not read', (authority) => {
    expect(readTarget('CONNECT', authority, [])).toMatchObject({ kind: 'unreadable' });
  });
});

describe('a page is asked for', () => {
  it.each([
    ['http://example.com/', request('example.com', 80, '/')],
    ['http://example.com', request('example.com', 80, '/')],
    ['HTTP://Example.COM/A', request('example.com', 80, '/A')],
    ['http://example.com:8080/a/../b?c=%2e#'.slice(0, -1), request('example.com', 8080, '/a/../b?c=%2e')],
    ['http://example.com?q', request('example.com', 80, '/?q')],
    ['http://[::1]:3000/x', request('[::1]', 3000, '/x')],
    ['http://example.com/http://other.example/', request('example.com', 80, '/http://other.example/')],
  ])('%s', (url, target) => {
    expect(readTarget('GET', url, [])).toEqual(target);
  });

  it.each([
    ['/', 'this is a proxy'],
    ['*', 'this is a proxy'],
    ['example.com/', 'this is a proxy'],
    ['ftp://example.com/', 'this is a proxy'],
    ['file:///etc/passwd', 'this is a proxy'],
    ['https://example.com/', 'CONNECT'],
    ['http:/example.com/', 'this is a proxy'],
    ['http:///path', 'not written plainly'],
    ['http://example.com/#part', 'this is a proxy'],
    ['http://example.com\\@other.example/', 'user name'],
    ['http://example.com\\.other.example/', 'not written plainly'],
    ['http://user@example.com/', 'user name'],
    ['http://user:word@example.com/', 'user name'],
    ['http://example.com@other.example/', 'user name'],
    ['http://0x7f000001/', 'not written plainly'],
    ['http://127.1/', 'not written plainly'],
    ['http://2130706433/', 'not written plainly'],
    ['http://[::ffff:127.0.0.1]/', 'not written plainly'],
    ['http://example.com:/', 'not written plainly'],
    ['http://example.com:0/', 'not written plainly'],
    ['http://example.com:70000/', 'not written plainly'],
    ['http://ex%61mple.com/', 'not written plainly'],
  ])('%s is not read', (url, why) => {
    expect(readTarget('GET', url, [])).toEqual({ kind: 'unreadable', why: expect.stringContaining(why) });
  });
});

describe('the Host header', () => {
  it.each([
    ['CONNECT', 'example.com:443', ['Host', 'example.com:443']],
    ['CONNECT', 'example.com:443', ['Host', 'example.com']],
    ['CONNECT', 'example.com:443', ['Host', 'Example.com:443']],
    ['GET', 'http://example.com/', ['host', 'example.com']],
    ['GET', 'http://example.com/', ['HOST', 'example.com:80']],
    ['GET', 'http://example.com:8080/', ['User-Agent', 'x', 'Host', 'example.com:8080']],
    // A value that is called like a header is none.
    ['GET', 'http://example.com/', ['X-Name', 'Host', 'Host', 'example.com']],
  ])('may say the same: %s %s %j', (method, target, headers) => {
    expect(readTarget(method, target, headers).kind).not.toBe('unreadable');
  });

  it.each([
    ['CONNECT', 'example.com:443', ['Host', 'other.example:443']],
    ['CONNECT', 'example.com:443', ['Host', 'example.com:80']],
    ['GET', 'http://example.com/', ['Host', 'other.example']],
    ['GET', 'http://example.com/', ['Host', 'example.com:8080']],
    ['GET', 'http://example.com:8080/', ['Host', 'example.com']],
    ['GET', 'http://example.com/', ['Host', '']],
    ['GET', 'http://example.com/', ['Host', 'example.com, other.example']],
    ['GET', 'http://example.com/', ['Host', 'example.com.']],
    ['GET', 'http://example.com/', ['Host', 'example.com', 'Host', 'example.com']],
    ['GET', 'http://example.com/', ['Host', 'example.com', 'hOST', 'other.example']],
  ])('is refused where it does not: %s %s %j', (method, target, headers) => {
    const why = 'the Host header does not name the same host, once';
    expect(readTarget(method, target, headers)).toEqual({ kind: 'unreadable', why });
  });
});
