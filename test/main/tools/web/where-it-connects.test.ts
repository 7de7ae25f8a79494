import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { afterwards, allow, fetchUrl, httpRequest, listening, site, told } from './helpers';

vi.mock('node:os', async (original) => {
  const os = await original<typeof import('node:os')>();
  return { ...os, networkInterfaces: vi.fn(os.networkInterfaces) };
});

const at = (...addresses: string[]) => ({ resolve: async () => addresses });

describe('a name', () => {
  it.each([
    ['127.0.0.1', /stands for 127\.0\.0\.1, an address of this machine/],
    ['::1', /stands for ::1, an address of this machine/],
    ['::ffff:127.0.0.1', /stands for an IPv4 one/],
    ['10.0.0.1', /private/],
    ['192.168.0.1', /private/],
    ['fd00::1', /private/],
    ['169.254.169.254', /credentials/],
    ['100.64.0.1', /provider/],
    ['0.0.0.0', /reserved/],
    ['64:ff9b::a00:1', /IPv4/],
    ['fe80::1%eth0', /reserved/],
    ['', /reserved/],
  ])('that stands for "%s" is refused', async (address, why) => {
    for (const answer of [at(address), at('1.1.1.1', address), at(address, '1.1.1.1')]) {
      const { content, isError } = await fetchUrl('http://rebound.example/', answer);
      expect(isError).toBe(true);
      expect(content).toMatch(why);
    }
  });

  it('that stands for nothing, or is not known, is told so', async () => {
    expect(await fetchUrl('http://nothing.example/', at())).toEqual({
      content: 'nothing.example has no address.',
      isError: true,
    });
    const unknown = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    };
    expect((await fetchUrl('http://unknown.example/', { resolve: unknown })).content).toBe(
      'unknown.example is not known.',
    );
  });

  it('that the agent file allows may stand for a private address, and for nothing that no own host has', async () => {
    const { port } = await site((_, response) => response.end('own'));
    const allowed = [{ host: 'own.example', port }];
    const url = `http://own.example:${port}/`;
    expect(told(await fetchUrl(url, { allowed, ...at('127.0.0.1') })).body).toBe('own');
    for (const address of ['169.254.169.254', '169.254.1.1', '0.0.0.0', '224.0.0.1', '::ffff:127.0.0.1']) {
      const { content, isError } = await fetchUrl(url, { allowed, ...at('127.0.0.1', address) });
      expect(isError).toBe(true);
      expect(content).toContain('no name may stand for that');
    }
  });

  it('is looked up once, and the connection goes to what was checked then', async () => {
    const own = await site((_, response) => response.end('checked'));
    const resolve = vi.fn(async (): Promise<string[]> => {
      // A second look-up would lead to where nobody listens.
      return resolve.mock.calls.length === 1 ? ['127.0.0.1'] : ['127.0.0.99'];
    });
    const allowed = [{ host: 'rebinding.invalid', port: own.port }];
    const answer = told(await fetchUrl(`http://rebinding.invalid:${own.port}/`, { allowed, resolve }));
    expect(answer.body).toBe('checked');
    expect(resolve).toHaveBeenCalledTimes(1);
    expect(own.heard[0]?.headers.host).toBe(`rebinding.invalid:${own.port}`);
  });

  it('that answers differently after a redirect is refused there', async () => {
    const own = await site((_, response) => response.writeHead(302, { Location: '/again' }).end());
    const resolve = vi.fn(async (): Promise<string[]> => {
      return resolve.mock.calls.length === 1 ? ['127.0.0.1'] : ['169.254.169.254'];
    });
    const allowed = [{ host: 'rebinding.invalid', port: own.port }];
    const { content } = await fetchUrl(`http://rebinding.invalid:${own.port}/`, { allowed, resolve });
    expect(content).toContain('stands for 169.254.169.254');
    expect(own.heard).toHaveLength(1);
  });

  it('is tried at each of its addresses', async () => {
    const { port } = await site((_, response) => response.end('second'));
    const allowed = [{ host: 'two.invalid', port }];
    const answer = await fetchUrl(`http://two.invalid:${port}/`, { allowed, ...at('127.0.0.1', '127.0.0.2') });
    expect(told(answer).body).toBe('second');
  });

  it('goes to the server as the name that the certificate has to be for', async () => {
    const hello = new Promise<string>((resolve) => {
      const server = createServer((socket) => {
        socket.once('data', (data) => {
          resolve(data.toString('latin1'));
          socket.end('no TLS here');
        });
        socket.on('error', () => undefined);
      });
      afterwards(() => new Promise((closed) => server.close(closed)));
      void listening(server).then(async (port) => {
        const allowed = [{ host: 'named.invalid', port }];
        const url = `https://named.invalid:${port}/`;
        expect(await fetchUrl(url, { allowed, ...at('127.0.0.1') })).toMatchObject({ isError: true });
      });
    });
    expect(await hello).toContain('named.invalid');
  });
});

describe('a public address', () => {
  it.each([
    ['of this machine', '203.0.114.9', '203.0.114.9/32'],
    ['in a network of this machine', '203.0.114.77', '203.0.114.9/24'],
    ['of a neighbour at home', '2a02:8070:1:2::99', '2a02:8070:1:2::1/64'],
  ])('%s is refused', async (_, address, cidr) => {
    const family = address.includes(':') ? 'IPv6' : 'IPv4';
    vi.mocked(networkInterfaces).mockReturnValue({
      eth0: [{ address: cidr.split('/')[0] ?? '', netmask: '', mac: '', internal: false, cidr, family, scopeid: 0 }],
    } as ReturnType<typeof networkInterfaces>);
    const { content } = await fetchUrl('http://near.example/', at(address));
    expect(content).toContain(`stands for ${address}, an address in a network of this machine`);
  });
});

describe('a redirect', () => {
  const leading = (location: string, status = 302) =>
    site((_, response) => response.writeHead(status, { Location: location }).end('moved'));

  it.each([
    ['http://127.0.0.1:1/', /address of this machine/],
    ['http://2130706433/', /127\.0\.0\.1 is an address of this machine/],
    ['http://0x7f.1/', /127\.0\.0\.1 is an address of this machine/],
    ['//10.0.0.1/', /private/],
    ['http://[::1]/', /address of this machine/],
    ['http://[::ffff:10.0.0.1]/', /stands for an IPv4 one/],
    ['http://169.254.169.254/latest/meta-data/', /credentials/],
    ['http://localhost/', /not a name/],
    ['http://metadata.google.internal/', /not a name/],
    ['http://private.example/', /private\.example stands for 192\.168\.0\.1/],
    ['http://example.com./', /dot/],
    ['http://example.com:25/', /port 25/],
    ['http://user:password@example.com/', /credentials/],
    ['file:///etc/passwd', /file: is not supported/],
    ['data:text/plain,x', /data: is not supported/],
    ['javascript:alert(1)', /javascript: is not supported/],
    ['http://[', /no URL/],
  ])('to %s is refused', async (location, why) => {
    for (const status of [301, 302, 303, 307, 308]) {
      const from = await leading(location, status);
      const { content, isError } = await fetchUrl(from.url, { allowed: allow(from), ...at('192.168.0.1') });
      expect(isError).toBe(true);
      expect(content).toMatch(why);
    }
  });

  it('is followed five times, and the answer says where it came from', async () => {
    const chain = await site((request, response) => {
      const step = Number(request.url?.slice(1) ?? 0);
      if (step === 5) return response.end('arrived');
      return response.writeHead(302, { Location: `/${step + 1}#part` }).end();
    });
    const answer = told(await fetchUrl(chain.url, { allowed: allow(chain) }));
    expect(answer).toMatchObject({ url: `${chain.url}5`, status: 200, body: 'arrived' });
    expect(answer.redirected_from).toEqual(['', '1', '2', '3', '4'].map((step) => chain.url + step));
  });

  it('is not followed a sixth time', async () => {
    const circle = await leading('/round');
    const { content, isError } = await fetchUrl(circle.url, { allowed: allow(circle) });
    expect(isError).toBe(true);
    expect(content).toMatch(/more than 5 times/);
    expect(circle.heard).toHaveLength(6);
  });

  it('that leads nowhere is an answer', async () => {
    const from = await site((_, response) => response.writeHead(302).end('moved'));
    expect(told(await fetchUrl(from.url, { allowed: allow(from) }))).toMatchObject({ status: 302 });
  });

  it('of a request that was approved is reported, and nothing else is sent', async () => {
    const there = await site((_, response) => response.end('there'));
    const here = await leading(there.url, 307);
    const allowed = allow(here, there);
    const answer = told(await httpRequest({ url: here.url, method: 'POST', body: 'x' }, { allowed }));
    expect(answer).toMatchObject({ status: 307, url: here.url, headers: { location: there.url } });
    expect(there.heard).toEqual([]);
    const own = await leading('/elsewhere', 301);
    await httpRequest({ url: own.url }, { allowed: allow(own) });
    expect(own.heard).toHaveLength(1);
  });
});

describe('the environment', () => {
  it('names no proxy that a request goes through, and switches no check off', async () => {
    const proxy = await site((_, response) => response.end('proxied'));
    for (const name of ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'ALL_PROXY']) vi.stubEnv(name, proxy.url);
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    const own = await site((_, response) => response.end('direct'));
    expect(told(await fetchUrl(own.url, { allowed: allow(own) })).body).toBe('direct');
    expect(proxy.heard).toEqual([]);
    vi.unstubAllEnvs();
  });
});
