import { describe, expect, it } from 'vitest';
import { proxyEnvironment } from '../../../../src/main/sandbox/proxy/proxy-environment';

const list = (...hosts: string[]) => ({ hosts: hosts.map((host) => ({ host, port: null })), privateHosts: [] });

describe('what a command is told of the proxy', () => {
  it('stands in every spelling, over what was there, and nothing else is changed', () => {
    const given = { PATH: '/bin', http_proxy: 'x', HTTPS_Proxy: 'x', FTP_PROXY: 'x', NO_PROXY: '*', MY_PROXY: 'kept' };
    const proxy = 'http://127.0.0.1:3128';
    const direct = 'localhost,127.0.0.1,::1';
    expect(proxyEnvironment(given, list('example.com'))).toEqual({
      PATH: '/bin',
      MY_PROXY: 'kept',
      ...{ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy, NO_PROXY: direct },
      ...{ http_proxy: proxy, https_proxy: proxy, all_proxy: proxy, no_proxy: direct },
      NODE_USE_ENV_PROXY: '1',
    });
  });

  it.each(['localhost', '127.0.0.1', '[::1]'])(
    'sends it there for %s, where the list means this machine by it',
    (host) => {
      expect(proxyEnvironment({}, list('example.com', host))).toMatchObject({ NO_PROXY: '', no_proxy: '' });
    },
  );
});
