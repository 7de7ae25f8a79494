import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { AllowedHost } from '@shared/agent-hosts';
import { afterEach } from 'vitest';
import type { Resolver } from '../../../../src/main/network/look-up';
import { FilterProxy, type ProxyTimes } from '../../../../src/main/sandbox/proxy/filter-proxy';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A server of bytes on this machine, for one test. */
export async function byteServer(take: (socket: Socket) => void): Promise<{ port: number; server: Server }> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    take(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { port: (server.address() as AddressInfo).port, server };
}

/** Answers every connection with the same bytes, once it has read a request's headers; and says what it was sent. */
export async function site(answer: string): Promise<{ port: number; heard: string[] }> {
  const heard: string[] = [];
  const { port } = await byteServer((socket) => {
    const index = heard.push('') - 1;
    socket.on('data', (data) => {
      const isNew = !heard[index]?.includes('\r\n\r\n');
      heard[index] += data.toString('latin1');
      if (isNew && heard[index]?.includes('\r\n\r\n')) socket.end(answer, 'latin1');
    });
  });
  return { port, heard };
}

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

export interface Options {
  readonly hosts: readonly AllowedHost[];
  /** Default: all of them. */
  readonly privateHosts?: readonly AllowedHost[];
  /** Default: every name is this machine. */
  readonly resolve?: Resolver;
  readonly times?: Partial<ProxyTimes>;
}

/** A proxy that listens on this machine, for one test. */
export async function proxyFor(options: Options): Promise<{ port: number; proxy: FilterProxy }> {
  const { hosts, privateHosts = hosts, resolve = async () => ['127.0.0.1'], times } = options;
  const all = { headersMs: 10_000, idleMs: 10_000, halfMs: 10_000, wholeMs: 10_000, ...times };
  const proxy = new FilterProxy({ list: { hosts, privateHosts }, resolve }, all);
  const listener = createServer();
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
  await proxy.listen(listener);
  ends.push(() => proxy.close());
  return { port: (listener.address() as AddressInfo).port, proxy };
}

/** A client of bytes. */
export class Client {
  private received = '';
  private readonly socket: Socket;
  readonly ended: Promise<string>;

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    this.socket.on('data', (data) => {
      this.received += data.toString('latin1');
    });
    // However it ends: what counts is what came.
    this.socket.on('error', () => undefined).on('end', () => this.socket.end());
    this.ended = new Promise((resolve) => this.socket.once('close', () => resolve(this.received)));
    ends.push(() => this.socket.destroy());
  }

  get text(): string {
    return this.received;
  }

  send(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }

  end(): this {
    this.socket.end();
    return this;
  }

  abort(): void {
    this.socket.destroy();
  }
}

/** Everything that comes back for these bytes, until the connection ends. */
export const ask = (port: number, text: string): Promise<string> => new Client(port).send(text).ended;
