import { createServer, type Socket } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { quietIo } from '../computer/helpers';
import { afterwards, allow, fetchUrl, httpRequest, listening, type Reach, site, told } from './helpers';

const MIB = 1_048_576;

/** What is told of an answer with these headers and this body. */
async function answer(body: string | Buffer, headers: Record<string, string> = {}, status = 200) {
  const own = await site((_, response) => response.writeHead(status, headers).end(body));
  return told(await fetchUrl(own.url, { allowed: allow(own) }));
}

/** Fetches from a server that speaks bytes, not HTTP. */
async function fromSocket(onConnection: (socket: Socket) => void, over: Reach = {}, io = quietIo()) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.resume();
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    onConnection(socket);
  });
  const port = await listening(server);
  afterwards(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((closed) => server.close(closed));
  });
  const result = await fetchUrl(`http://127.0.0.1:${port}/`, { allowed: [{ host: '127.0.0.1', port }], ...over }, io);
  return { ...result, isClosed: () => [...sockets].every((socket) => socket.destroyed) };
}

describe('an answer', () => {
  it('is told with its address, status and type, and its text as it came', async () => {
    expect(await answer('<p>Hello</p>\n', { 'Content-Type': 'text/html; charset=utf-8' })).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
      status: 200,
      content_type: 'text/html; charset=utf-8',
      body: '<p>Hello</p>\n',
      truncated: false,
      note: 'The HTML is shown as it came.',
    });
  });

  it.each([204, 304, 400, 404, 418, 500, 503])('with status %s is an answer like any other', async (status) => {
    expect(await answer('', { 'Content-Type': 'text/plain' }, status)).toMatchObject({ status, body: '' });
  });

  it.each([
    'text/plain',
    'text/csv; header=present',
    'TEXT/HTML',
    'application/json',
    'application/problem+json; charset=utf-8',
    'application/xml',
    'application/atom+xml',
    'image/svg+xml',
    'application/javascript',
    'application/yaml',
    '',
  ])('of type "%s" is text', async (type) => {
    expect(await answer('text', type === '' ? {} : { 'Content-Type': type })).toMatchObject({ body: 'text' });
  });

  it.each(['image/png', 'application/octet-stream', 'application/zip', 'application/pdf', 'video/mp4', 'nonsense'])(
    'of type %s is left out, with its size',
    async (type) => {
      expect(await answer('12345', { 'Content-Type': type, 'Content-Length': '5' })).toMatchObject({
        body: null,
        note: 'The answer is not text and is left out: 5 bytes.',
      });
    },
  );

  it('that is not text after all is left out', async () => {
    expect(await answer('a\0b', { 'Content-Type': 'text/plain' })).toMatchObject({ body: null });
    expect(await answer(Buffer.from([0x89, 0x50, 0, 0]))).toMatchObject({ body: null });
  });

  it.each([
    ['iso-8859-1', Buffer.from('caf\xe9', 'latin1'), 'café'],
    ['"UTF-8"', Buffer.from('café'), 'café'],
    ['utf-16le', Buffer.from('café', 'utf16le'), 'café'],
    ['unheard-of', Buffer.from('café'), 'café'],
    ['utf-8', Buffer.from('caf\xe9', 'latin1'), 'caf\ufffd'],
  ])('in the charset %s is read in it', async (charset, bytes, text) => {
    expect(await answer(bytes, { 'Content-Type': `text/plain; charset=${charset}` })).toMatchObject({ body: text });
  });

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (text: string) => Buffer.from(text)],
  ] as const)('that is compressed as %s is decompressed', async (encoding, compress) => {
    const text = 'long '.repeat(1_000);
    expect(await answer(compress(text), { 'Content-Encoding': encoding })).toMatchObject({ body: text });
  });

  it.each([
    ['gzip, gzip', gzipSync(gzipSync('x')), /compressed as "gzip, gzip", which is not supported/],
    ['zstd', Buffer.from('x'), /not supported/],
    ['constructor', Buffer.from('x'), /not supported/],
    ['gzip', Buffer.from('not gzip'), /broken/],
    ['gzip', gzipSync('x'.repeat(1_000)).subarray(0, 20), /broken/],
    ['br', Buffer.from('not brotli'), /broken/],
  ])('that is compressed as %s and cannot be read is an error', async (encoding, body, why) => {
    const own = await site((_, response) => response.writeHead(200, { 'Content-Encoding': encoding }).end(body));
    const { content, isError } = await fetchUrl(own.url, { allowed: allow(own) });
    expect(isError).toBe(true);
    expect(content).toMatch(why);
  });

  it('over 64 KiB is told by both its ends', async () => {
    const told = await answer(`${'a'.repeat(50_000)}${'b'.repeat(50_000)}`);
    expect(told).toMatchObject({ truncated: true });
    expect(told.body).toMatch(/^a{32768}\n\[\.\.\. 34464 bytes missing \.\.\.\]\nb{32768}$/);
  });
});

describe('an answer without end', () => {
  it('is read up to a limit, and the connection is closed', async () => {
    const result = await fromSocket((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const more = () => {
        while (socket.writable && socket.write('x'.repeat(65_536)));
      };
      socket.on('drain', more);
      more();
    });
    expect(told(result)).toMatchObject({ truncated: true, note: `Only the first ${MIB} bytes were read.` });
    await expect.poll(result.isClosed).toBe(true);
  });

  it.each([
    ['gzip', gzipSync],
    ['br', (data: Buffer) => brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ] as const)('that is compressed as %s stays small', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(100 * MIB, 'x'));
    expect(bomb.length).toBeLessThan(MIB);
    const before = process.memoryUsage().rss;
    const answered = await answer(bomb, { 'Content-Encoding': encoding, 'Content-Type': 'text/plain' });
    expect(answered).toMatchObject({ truncated: true, note: `Only the first ${MIB} bytes were read.` });
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * MIB);
  });

  it('that is compressed to nothing is ended', async () => {
    // A gzip stream of empty stored blocks: it never says anything.
    const head = gzipSync('').subarray(0, 10);
    const empty = Buffer.from('000000ffff'.repeat(10_000), 'hex');
    const { content } = await fromSocket((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n');
      socket.write(head);
      const more = () => {
        while (socket.writable && socket.write(empty));
      };
      socket.on('drain', more);
      more();
    });
    expect(content).toContain(`larger than ${MIB} bytes while it is compressed`);
  });

  it.each([
    ['says nothing', () => undefined],
    ['says its head slowly', (socket: Socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX: ')],
    ['says its body slowly', (socket: Socket) => drip(socket, 'HTTP/1.1 200 OK\r\n\r\n')],
    ['goes on to say that it goes on', (socket: Socket) => drip(socket, '', 'HTTP/1.1 102 Processing\r\n\r\n')],
  ])('of a server that %s is ended in time', async (_, onConnection) => {
    const result = await fromSocket(onConnection, { limits: { totalMs: 200 } });
    expect(result).toMatchObject({ content: 'It was ended: there was no whole answer within 0.2 s.', isError: true });
    await expect.poll(result.isClosed).toBe(true);
  });

  it('of a look-up is ended in time', async () => {
    const { content } = await fetchUrl('http://slow.example/', {
      resolve: () => new Promise(() => undefined),
      limits: { totalMs: 50 },
    });
    expect(content).toContain('no whole answer');
  });

  it('of a connection that never comes to be encrypted is ended in time', async () => {
    const server = createServer((socket) => socket.resume().on('error', () => undefined));
    const port = await listening(server);
    const allowed = [{ host: '127.0.0.1', port }];
    const { content } = await fetchUrl(`https://127.0.0.1:${port}/`, { allowed, limits: { connectMs: 50 } });
    expect(content).toBe(`127.0.0.1:${port} did not take the connection within 0.05 s.`);
    await new Promise((closed) => server.close(closed));
  });

  it('is ended when the run is stopped', async () => {
    const stop = new AbortController();
    const ended = fromSocket(
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\nsome');
        setImmediate(() => stop.abort(new Error('the run was stopped')));
      },
      {},
      quietIo({ signal: stop.signal }),
    );
    await expect(ended).rejects.toThrow('the run was stopped');
  });
});

describe('a server that misbehaves', () => {
  it.each([
    ['is not there', null, /refuses the connection/],
    ['hangs up', '', /broke off the connection/],
    ['hangs up in the middle', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf', /broke off the connection/],
    ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', /does not answer in HTTP/],
    ['sends headers without end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}`, /headers that are too long/],
    [
      'changes the protocol',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
      /another protocol/,
    ],
    ['sends two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', /in HTTP/],
  ])('and %s is named', async (_, text, why) => {
    if (text === null) {
      const { content, isError } = await fetchUrl('http://127.0.0.1:9/', {
        allowed: [{ host: '127.0.0.1', port: 9 }],
      });
      expect(isError).toBe(true);
      expect(content).toMatch(why);
      return;
    }
    const { content, isError } = await fromSocket((socket) => {
      socket.once('data', () => (text === '' ? socket.destroy() : socket.end(text, 'latin1')));
    });
    expect(isError).toBe(true);
    expect(content).toMatch(why);
  });

  it('and sets a cookie is not obeyed, and the cookie is not told', async () => {
    const own = await site((request, response) => {
      response.setHeader('Set-Cookie', ['a=secret', 'b=secret']);
      if (request.url === '/') response.writeHead(302, { Location: '/next' });
      response.end('text');
    });
    expect(told(await fetchUrl(own.url, { allowed: allow(own) })).body).toBe('text');
    expect(own.heard.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined]);
    const { content } = await httpRequest({ url: own.url }, { allowed: allow(own) });
    expect(content).not.toContain('secret');
  });
});

/** Sends a byte every few milliseconds, for as long as somebody listens. */
function drip(socket: Socket, head: string, drop = 'x'): void {
  socket.write(head);
  const timer = setInterval(() => socket.write(drop), 10);
  socket.on('close', () => clearInterval(timer));
}
