import { describe, expect, it, vi } from 'vitest';
import { until } from '../helpers';
import { ask, byteServer, Client, OK, proxyFor, site } from './helpers';

const own = (port: number) => [{ host: 'own.example', port }];
const get = (port: number, rest = ''): string =>
  `GET http://own.example:${port}/ HTTP/1.1\r\nHost: own.example:${port}\r\n${rest}\r\n`;

describe('plain HTTP', () => {
  it('is handed on, without what is about the connection', async () => {
    const { port: to, heard } = await site(
      'HTTP/1.1 201 Made\r\nContent-Length: 4\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nConnection: X-Theirs, close\r\nX-Theirs: 1\r\n\r\nmade',
    );
    const { port, proxy } = await proxyFor({ hosts: own(to) });
    const answer = await ask(
      port,
      `GET http://own.example:${to}/a/../b?c=%2e HTTP/1.1\r\nHost: own.example:${to}\r\nX-Mine: 1\r\nAccept: */*\r\nConnection: keep-alive, x-mine\r\nProxy-Connection: keep-alive\r\nProxy-Authorization: Basic eA==\r\nTE: trailers\r\nUpgrade: websocket\r\n\r\n`,
    );
    expect(heard).toEqual([
      `GET /a/../b?c=%2e HTTP/1.1\r\nHost: own.example:${to}\r\nConnection: close\r\nAccept: */*\r\n\r\n`,
    ]);
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(answer).toContain('Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n');
    expect(answer).not.toContain('X-Theirs: 1');
    expect(answer.endsWith('\r\n\r\nmade')).toBe(true);
    expect(proxy.outcomes.notes()).toEqual([`Reached through the proxy: own.example:${to}.`]);
    expect(proxy.outcomes.refusals()).toEqual([]);
  });

  it.each([
    ['POST', 'Content-Length: 4\r\n', 'body', 'Content-Length: 4\r\n\r\nbody'],
    ['POST', 'Transfer-Encoding: chunked\r\n', '4\r\nbody\r\n0\r\n\r\n', '4\r\nbody\r\n0\r\n\r\n'],
    ['DELETE', 'Content-Length: 4\r\n', 'body', 'Content-Length: 4\r\n\r\nbody'],
    ['GET', 'Transfer-Encoding: chunked\r\n', '4\r\nbody\r\n0\r\n\r\n', '4\r\nbody\r\n0\r\n\r\n'],
    ['PUT', '', '', 'Content-Length: 0\r\n\r\n'],
  ])('of %s keeps its body: %j', async (method, header, body, sent) => {
    const heard: string[] = [];
    const { port: to } = await byteServer((socket) => {
      heard.push('');
      socket.on('data', (data) => {
        heard[0] += data.toString('latin1');
        if (heard[0]?.endsWith(sent)) socket.end(OK);
      });
    });
    const { port } = await proxyFor({ hosts: own(to) });
    const answer = await ask(
      port,
      `${method} http://own.example:${to}/ HTTP/1.1\r\nHost: own.example:${to}\r\n${header}\r\n${body}`,
    );
    expect(answer.endsWith('ok')).toBe(true);
    expect(heard[0]?.endsWith(sent)).toBe(true);
    expect(heard[0]?.match(/^(?:Content-Length|Transfer-Encoding):/gm)).toHaveLength(1);
  });

  it('brings large bodies both ways, as they are', async () => {
    const size = 3_000_000;
    const { port: to } = await byteServer((socket) => {
      let got = 0;
      socket.on('data', (data) => {
        got += data.length;
        if (got > size) socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size)}`);
      });
    });
    const { port } = await proxyFor({ hosts: own(to) });
    const head = `POST http://own.example:${to}/ HTTP/1.1\r\nHost: own.example:${to}\r\nContent-Length: ${size}\r\n\r\n`;
    const answer = await ask(port, head + 'y'.repeat(size));
    expect(answer.split('\r\n\r\n')[1]).toBe('x'.repeat(size));
  });

  it.each([
    ['nothing at all', ''],
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['an upgrade', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nbytes'],
    ['a broken header', 'HTTP/1.1 200 OK\r\nA B: c\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc'],
    ['a length and a coding', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['endless headers', `HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(20_000)}`],
  ])('answered with %s is told so', async (_, bytes) => {
    const { port: to } = await site(bytes);
    const { port, proxy } = await proxyFor({ hosts: own(to) });
    const answer = await ask(port, get(to));
    expect(answer).toMatch(/^HTTP\/1\.1 502 /);
    expect(answer).not.toContain('bytes');
    expect(proxy.outcomes.notes().join()).toContain(`Not reached: own.example:${to}`);
  });

  it('whose answer breaks off breaks off', async () => {
    const { port: to } = await site('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart');
    const { port } = await proxyFor({ hosts: own(to) });
    const answer = await ask(port, get(to));
    expect(answer).toContain('Content-Length: 100');
    expect(answer.endsWith('part')).toBe(true);
  });

  it('that nobody waits for any more is left, and is no failure of the host', async () => {
    let gone = false;
    const { port: to } = await byteServer((socket) => {
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart'));
      socket
        .on('end', () => socket.destroy())
        .on('close', () => {
          gone = true;
        });
    });
    const { port, proxy } = await proxyFor({ hosts: own(to) });
    const client = new Client(port).send(get(to));
    await until(() => client.text.endsWith('part'), 'a part has come');
    client.abort();
    await until(() => gone, 'the other side is told');
    expect(proxy.outcomes.notes()).toEqual([`Reached through the proxy: own.example:${to}.`]);
  });

  it('is one request for each connection: what comes behind it goes nowhere', async () => {
    const { port: to, heard } = await site(OK);
    const { port } = await proxyFor({ hosts: own(to) });
    const answer = await ask(port, get(to) + get(to).replace('own.example', 'other.example') + get(to));
    expect(answer.match(/HTTP\/1\.1 200 /g)).toHaveLength(1);
    expect(heard).toHaveLength(1);
    expect(heard[0]).toMatch(/^GET \/ HTTP\/1\.1\r\nHost: own\.example:\d+\r\nConnection: close\r\n\r\n$/);
  });
});

describe('a tunnel', () => {
  const connectTo = (place: string, head = ''): string => `CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n\r\n${head}`;

  it('brings bytes both ways, those behind the request included, until both sides are done', async () => {
    const { port: to } = await byteServer((socket) => {
      socket.write('first\n');
      let got = '';
      socket.on('data', (data) => {
        got += data.toString('latin1');
      });
      socket.on('end', () => socket.end(`got ${got}`));
    });
    const { port, proxy } = await proxyFor({ hosts: own(to) });
    const client = new Client(port).send(connectTo(`own.example:${to}`, 'early '));
    await until(() => client.text.includes('first'), 'the tunnel stands');
    client.send('late').end();
    expect(await client.ended).toBe('HTTP/1.1 200 Connection established\r\n\r\nfirst\ngot early late');
    expect(proxy.outcomes.notes()).toEqual([`Reached through the proxy: own.example:${to}.`]);
  });

  it('is opened for a client of HTTP/1.0 without a Host header', async () => {
    const { port: to } = await byteServer((socket) => socket.end('hello'));
    const { port } = await proxyFor({ hosts: own(to) });
    const answer = await ask(port, `CONNECT own.example:${to} HTTP/1.0\r\n\r\n`);
    expect(answer).toBe('HTTP/1.1 200 Connection established\r\n\r\nhello');
  });

  it('ends on the other side when one of them is gone', async () => {
    let gone = false;
    const { port: to } = await byteServer((socket) => {
      socket.resume().write('hello');
      socket.on('close', () => {
        gone = true;
      });
      socket.on('end', () => socket.destroy());
    });
    const { port } = await proxyFor({ hosts: own(to) });
    const client = new Client(port).send(connectTo(`own.example:${to}`));
    await until(() => client.text.endsWith('hello'), 'the tunnel stands');
    client.abort();
    await until(() => gone, 'the other side is told');
  });

  it('is refused where nobody takes it', async () => {
    const { port: to, server } = await byteServer(() => undefined);
    await new Promise((resolve) => server.close(resolve));
    const { port, proxy } = await proxyFor({ hosts: own(to) });
    const answer = await ask(port, connectTo(`own.example:${to}`));
    expect(answer).toMatch(/^HTTP\/1\.1 502 (?:.*\r\n)+Sayso: own\.example refuses the connection\.\n$/);
    expect(proxy.outcomes.notes()).toEqual([`Not reached: own.example:${to} (refuses the connection).`]);
  });
});

describe('a host that is not listed', () => {
  it.each([
    ['GET', 'http://other.example/', 'other.example', 80],
    ['GET', 'http://own.example:1/', 'own.example', 1],
    ['CONNECT', 'other.example:443', 'other.example', 443],
    ['CONNECT', 'sub.own.example:443', 'sub.own.example', 443],
    ['CONNECT', '127.0.0.1:443', '127.0.0.1', 443],
    ['CONNECT', '[::1]:443', '[::1]', 443],
    ['CONNECT', 'localhost:443', 'localhost', 443],
    ['CONNECT', '169.254.169.254:80', '169.254.169.254', 80],
  ])('is refused before it is looked up: %s %s', async (method, target, host, place) => {
    const resolve = vi.fn(async () => ['127.0.0.1']);
    const { port, proxy } = await proxyFor({ hosts: own(443), resolve });
    const answer = await ask(port, `${method} ${target} HTTP/1.0\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(answer).toContain(`Sayso: ${host}:${place} is not among the hosts that the agent file allows`);
    expect(resolve).not.toHaveBeenCalled();
    const notes = proxy.outcomes.notes();
    expect(notes).toEqual([expect.stringMatching(/^The sandbox refused, as not among the hosts/)]);
    expect(notes[0]).toContain(`${host}:${place}.`);
    // What no list could let through is not offered to the operator.
    const refusal = { kind: 'network', host, port: place };
    expect(proxy.outcomes.refusals()).toEqual(/[a-z]\./.test(host) ? [refusal] : []);
  });

  it('is named, with others, up to a bound', async () => {
    const { port, proxy } = await proxyFor({ hosts: own(443) });
    for (let index = 0; index < 150; index++) await ask(port, `CONNECT h${index}.example:443 HTTP/1.0\r\n\r\n`);
    const [note = ''] = proxy.outcomes.notes();
    expect(note).toContain('h0.example:443, h1.example:443');
    expect(note).toMatch(/ and more\.$/);
    expect(note.length).toBeLessThan(400);
    expect(proxy.outcomes.refusals().length).toBeLessThan(10);
  });
});

describe('a name', () => {
  it.each([
    ['127.0.0.1', 'an address of this machine'],
    ['10.0.0.1', 'a private address'],
    ['169.254.169.254', 'credentials'],
    ['::ffff:127.0.0.1', 'stands for an IPv4 one'],
    ['fe80::1', 'link-local'],
    ['0.0.0.0', 'reserved'],
  ])('on the list that stands for %s is refused', async (address, why) => {
    const listed = [{ host: 'rebound.example', port: null }];
    for (const answer of [[address], ['1.1.1.1', address]]) {
      const { port, proxy } = await proxyFor({ hosts: listed, privateHosts: [], resolve: async () => answer });
      const text = await ask(port, 'CONNECT rebound.example:443 HTTP/1.0\r\n\r\n');
      expect(text).toMatch(/^HTTP\/1\.1 403 /);
      expect(text).toContain(why);
      expect(proxy.outcomes.notes().join()).toContain(`The sandbox refused: rebound.example stands for ${address}`);
      expect(proxy.outcomes.refusals()).toEqual([]);
    }
  });

  it('is looked up once, and the connection goes to what was checked then', async () => {
    const { port: to } = await byteServer((socket) => socket.end('checked'));
    const resolve = vi.fn(async () => (resolve.mock.calls.length === 1 ? ['127.0.0.1'] : ['127.0.0.99']));
    const { port } = await proxyFor({ hosts: own(to), resolve });
    expect(await ask(port, `CONNECT own.example:${to} HTTP/1.0\r\n\r\n`)).toMatch(/checked$/);
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  it('is tried at each of its addresses', async () => {
    const { port: to } = await byteServer((socket) => socket.end('second'));
    const { port } = await proxyFor({ hosts: own(to), resolve: async () => ['127.0.0.77', '127.0.0.1'] });
    expect(await ask(port, `CONNECT own.example:${to} HTTP/1.0\r\n\r\n`)).toMatch(/second$/);
  });

  it('that is not known, or has no address, is told so', async () => {
    const unknown = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
    for (const [resolve, status, words] of [
      [() => Promise.reject(unknown), 502, 'own.example is not known'],
      [() => Promise.resolve([]), 403, 'own.example has no address'],
    ] as const) {
      const { port } = await proxyFor({ hosts: own(443), resolve });
      const text = await ask(port, 'CONNECT own.example:443 HTTP/1.0\r\n\r\n');
      expect(text).toContain(`HTTP/1.1 ${status} `);
      expect(text).toContain(words);
    }
  });
});

describe('what could be read in two ways', () => {
  const post = (port: number, headers: string, body: string): string =>
    `POST http://own.example:${port}/ HTTP/1.1\r\nHost: own.example:${port}\r\n${headers}\r\n${body}`;

  it.each<[string, (port: number) => string]>([
    [
      'a length and a coding',
      (port) => post(port, 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\nGET '),
    ],
    [
      'a coding and a length',
      (port) => post(port, 'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n', '0\r\n\r\nGET '),
    ],
    ['two lengths', (port) => post(port, 'Content-Length: 4\r\nContent-Length: 5\r\n', 'abcde')],
    ['a length that is none', (port) => post(port, 'Content-Length: +4\r\n', 'abcd')],
    ['a coding that is not known', (port) => post(port, 'Transfer-Encoding: xchunked\r\n', '0\r\n\r\n')],
    ['two codings', (port) => post(port, 'Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n')],
    ['a space before the colon', (port) => post(port, 'Content-Length : 4\r\n', 'abcd')],
    ['a NUL in a header', (port) => post(port, 'X: a\0b\r\n', '')],
    ['a bare CR in a header', (port) => post(port, 'X: a\rHost: other.example\r\n', '')],
    ['two hosts', (port) => post(port, 'Host: other.example\r\n', '')],
    ['another host', (port) => post(port, '', '').replace(/Host: own/, 'Host: other')],
    ['a method that is none', (port) => post(port, '', '').replace('POST', 'GET\tx')],
    ['a version that is none', (port) => post(port, '', '').replace('HTTP/1.1', 'HTTP/9.9')],
    ['no HTTP', () => 'SSH-2.0-x\r\n'],
    ['TLS', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a path', () => 'GET / HTTP/1.1\r\nHost: own.example\r\n\r\n'],
    ['a tunnel without a port', () => 'CONNECT own.example HTTP/1.1\r\nHost: own.example\r\n\r\n'],
    ['a tunnel to 0x7f.1', () => 'CONNECT 0x7f.1:80 HTTP/1.0\r\n\r\n'],
    ['too many headers', (port) => post(port, 'A: bcdefghij\r\n'.repeat(2_000), '')],
    ['one that is too long', (port) => post(port, `A: ${'b'.repeat(20_000)}\r\n`, '')],
    ['a URL that is too long', (port) => post(port, '', '').replace('/ HTTP', `/${'b'.repeat(20_000)} HTTP`)],
  ])('is refused: %s', async (_, text) => {
    const { port: to, heard } = await site(OK);
    const { port, proxy } = await proxyFor({ hosts: own(to) });
    const answer = await ask(port, text(to));
    expect(answer).toMatch(/^HTTP\/1\.1 (?:400|431) /);
    expect(heard).toEqual([]);
    expect(proxy.outcomes.notes().join()).not.toContain('Reached');
  });

  it('is at least written in one way: a header that goes on is none of its own', async () => {
    const { port: to, heard } = await site(OK);
    const { port } = await proxyFor({ hosts: own(to) });
    await ask(port, post(to, 'X: y\r\n Content-Length: 4\r\n', 'abcd'));
    // The older of the runtimes takes it for one header and joins its lines, the newer one refuses it.
    for (const request of heard) expect(request).not.toMatch(/^\s*Content-Length: 4/m);
  });
});

describe('a client', () => {
  it('that never comes to the end of its headers is left', async () => {
    const { port } = await proxyFor({ hosts: own(443), times: { headersMs: 300 } });
    const silent = new Client(port);
    const slow = new Client(port).send('CONNECT own.exa');
    expect(await silent.ended).toMatch(/^(?:HTTP\/1\.1 4\d\d |$)/);
    expect(await slow.ended).toMatch(/^(?:HTTP\/1\.1 4\d\d |$)/);
  });

  it('that drips them is left as well', async () => {
    const { port } = await proxyFor({ hosts: own(443), times: { headersMs: 300 } });
    const client = new Client(port).send('GET http://own.example/ HTTP/1.1\r\n');
    const drip = setInterval(() => client.send('A: b\r\n'), 20);
    expect(await client.ended).not.toContain('200');
    clearInterval(drip);
  });

  it.each(['idleMs', 'wholeMs'] as const)('that holds a tunnel is left after %s', async (limit) => {
    let gone = false;
    const { port: to } = await byteServer((socket) => {
      socket.resume().write('hello');
      socket
        .on('end', () => socket.destroy())
        .on('close', () => {
          gone = true;
        });
    });
    const { port } = await proxyFor({ hosts: own(to), times: { [limit]: 300 } });
    const client = new Client(port).send(`CONNECT own.example:${to} HTTP/1.0\r\n\r\n`);
    expect(await client.ended).toMatch(/hello$/);
    await until(() => gone, 'the other side is told');
  });

  it('that holds a hundred connections gets no more, and the note says so', async () => {
    const { port: to } = await byteServer((socket) => socket.write('hello'));
    const { port, proxy } = await proxyFor({ hosts: own(to), times: { halfMs: 100 } });
    const request = `CONNECT own.example:${to} HTTP/1.0\r\n\r\n`;
    const held = Array.from({ length: 100 }, () => new Client(port).send(request));
    await until(() => held.every(({ text }) => text.endsWith('hello')), 'all are open');
    expect(await ask(port, request)).toBe('');
    expect(proxy.outcomes.notes()).toContain('The proxy turned away connections, too many at once: 1.');
    // One that goes away leaves its place, though the other side has not noticed.
    held[0]?.abort();
    const isOpen = async (): Promise<boolean> => {
      const client = new Client(port).send(request);
      await Promise.race([client.ended, until(() => client.text.endsWith('hello'), 'it is open')]);
      return client.text.endsWith('hello');
    };
    await until(isOpen, 'there is room again');
  });
});

describe('the end', () => {
  it('is the end of every connection, and of those that are still to be made', async () => {
    let open = 0;
    const { port: to } = await byteServer((socket) => {
      open += 1;
      socket.resume().write('hello');
      socket.on('end', () => socket.destroy());
      socket.on('close', () => {
        open -= 1;
      });
    });
    let answer = (): void => undefined;
    const late = new Promise<string[]>((resolve) => {
      answer = () => resolve(['127.0.0.1']);
    });
    const resolve = (name: string) => (name.startsWith('late') ? late : Promise.resolve(['127.0.0.1']));
    const { port, proxy } = await proxyFor({
      hosts: [{ host: '*.own.example', port: to }],
      privateHosts: [
        { host: 'a.own.example', port: to },
        { host: 'late.own.example', port: to },
      ],
      resolve,
    });
    const client = new Client(port).send(`CONNECT a.own.example:${to} HTTP/1.0\r\n\r\n`);
    const waiting = new Client(port).send(`CONNECT late.own.example:${to} HTTP/1.0\r\n\r\n`);
    const idle = new Client(port);
    await until(() => client.text.endsWith('hello'), 'the tunnel stands');
    proxy.close();
    await Promise.all([client.ended, waiting.ended, idle.ended]);
    answer();
    await until(() => open === 0, 'the other side is told');
    expect(await ask(port, get(to))).toBe('');
    expect(proxy.outcomes.notes().join()).not.toMatch(/Reached[^.]*late/);
  });
});
