import { createServer, type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http';
import type { Server as Listener, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Place } from '../../network/host-rules';
import type { Resolver } from '../../network/look-up';
import type { HostList } from '../policy';
import type { Refusal } from '../refusal';
import { Admissions, type Refused } from './admission';
import { connectTo } from './connect';
import { forward } from './forward';
import { Outcomes } from './outcomes';
import { readTarget } from './target';

/** At once, of one command. Each takes two descriptors of the app. */
const MAX_CONNECTIONS = 100;
/** Of a request, in bytes. */
const MAX_HEADERS = 16_384;
/** Until a request was read to the end of its headers, in milliseconds. */
const HEADERS_MS = 15_000;
/** How often that is looked at, in milliseconds. */
const CHECK_MS = 1_000;
/** Without a byte in either direction, in milliseconds. */
const IDLE_MS = 10 * 60_000;
/** The same once one side is done: mostly the other one has nobody to speak to any more. */
const HALF_MS = 60_000;
/** Of one connection, in milliseconds. A command mostly ends sooner; a server stays as long as its run. */
const WHOLE_MS = 12 * 3_600_000;

/** How long the other side may take to end a connection that was refused, in milliseconds. */
const LINGER_MS = 1_000;
const PLAIN_TEXT = 'text/plain; charset=utf-8';

export interface ProxyTimes {
  readonly headersMs: number;
  readonly idleMs: number;
  readonly halfMs: number;
  readonly wholeMs: number;
}

export interface ProxyParts {
  readonly list: HostList;
  readonly resolve: Resolver;
  /** Told of each place that a list with it would have let through, the first time. */
  readonly onRefused?: ((refusal: Refusal) => void) | undefined;
}

const TIMES: ProxyTimes = { headersMs: HEADERS_MS, idleMs: IDLE_MS, halfMs: HALF_MS, wholeMs: WHOLE_MS };

/**
 * The proxy of one command: tunnels (CONNECT) and plain HTTP, one request for each connection, to the hosts of a list and
 * to the addresses that were checked. It opens no TLS. Everything of it ends with `close`.
 */
export class FilterProxy {
  readonly outcomes: Outcomes;
  private readonly admissions: Admissions;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private isClosed = false;

  constructor(
    { list, resolve, onRefused }: ProxyParts,
    private readonly times: ProxyTimes = TIMES,
  ) {
    const { headersMs } = times;
    this.outcomes = new Outcomes(list, onRefused);
    this.admissions = new Admissions(list, resolve, this.outcomes);
    this.server = createServer({
      maxHeaderSize: MAX_HEADERS,
      headersTimeout: headersMs,
      // A whole request may take as long as there is something of it on the way.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(headersMs, CHECK_MS),
      insecureHTTPParser: false,
    });
    this.server.maxConnections = MAX_CONNECTIONS;
    this.server.maxRequestsPerSocket = 1;
    this.server.on('drop', () => this.outcomes.addTurnedAway());
    this.server.on('connection', (socket) => this.guard(socket));
    this.server.on('clientError', (_error, socket) => this.refuse(socket, 'this is no request that can be read'));
    // A connection that could not be taken, for example. Whoever made it is told by its end.
    this.server.on('error', () => undefined);
    this.server.on('connect', (request, socket, head) => void this.tunnel(request, socket, head));
    this.server.on('request', (request, response) => void this.hand(request, response));
  }

  /**
   * Begins to take what comes to a socket that listens already, wherever that is.
   * @throws Error where that is not possible
   */
  listen(listener: Listener): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(listener, () => {
        this.server.off('error', reject);
        resolve();
      });
    });
  }

  close(): void {
    this.isClosed = true;
    this.admissions.close();
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  /** Bounds a connection in time, and sees to it that it ends with all others. */
  private guard(socket: Socket): void {
    if (this.isClosed) return void socket.destroy();
    const { idleMs, wholeMs } = this.times;
    this.sockets.add(socket);
    const whole = setTimeout(() => socket.destroy(), wholeMs);
    socket.setTimeout(idleMs, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      clearTimeout(whole);
      this.sockets.delete(socket);
    });
  }

  private async tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const target = readTarget('CONNECT', request.url ?? '', request.rawHeaders);
    if (target.kind === 'unreadable') return this.refuse(client, target.why);
    const upstream = await this.reach(target.place);
    if ('status' in upstream) return refuseRaw(client, upstream);
    if (client.destroyed) return void upstream.destroy();
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    upstream.write(head);
    join(client, upstream, this.times.halfMs);
  }

  private async hand(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const target = readTarget(incoming.method ?? '', incoming.url ?? '', incoming.rawHeaders);
    if (target.kind !== 'request') return this.refuse(outgoing, target.kind === 'unreadable' ? target.why : '');
    // What has a coding and a length as well Node has refused.
    const coding = incoming.headers['transfer-encoding'];
    if (coding !== undefined && coding !== 'chunked') return this.refuse(outgoing, 'the body has an unknown coding');
    const upstream = await this.reach(target.place);
    if ('status' in upstream) return refuse(outgoing, upstream);
    if (outgoing.destroyed) return void upstream.destroy();
    try {
      await forward(target, upstream, incoming, outgoing);
    } catch (error) {
      upstream.destroy();
      const refused = this.admissions.failed(target.place, error);
      if (outgoing.headersSent) outgoing.destroy();
      else refuse(outgoing, refused);
    }
  }

  private async reach(place: Place): Promise<Socket | Refused> {
    const admission = await this.admissions.admit(place);
    if ('status' in admission) return admission;
    try {
      const upstream = await connectTo(admission.addresses, place.port, (socket) => this.guard(socket));
      this.outcomes.add('reached', place);
      return upstream;
    } catch (error) {
      return this.admissions.failed(place, error);
    }
  }

  private refuse(client: Duplex | ServerResponse, words: string): void {
    this.outcomes.addUnreadable();
    const refused = { status: 400, words } as const;
    if (client instanceof ServerResponse) refuse(client, refused);
    else refuseRaw(client, refused);
  }
}

/** Bytes both ways, until both sides are done or one of them breaks. */
function join(client: Duplex, upstream: Socket, halfMs: number): void {
  client.pipe(upstream);
  upstream.pipe(client);
  const isHalf = (): void => void upstream.setTimeout(halfMs);
  client.once('end', isHalf).once('close', () => upstream.destroy());
  upstream.once('end', isHalf).once('close', () => client.destroy());
}

const textOf = ({ words }: Refused): string => `Sayso: ${words}.\n`;

/** A short plain text, and the end of the connection. */
function refuse(outgoing: ServerResponse, refused: Refused): void {
  outgoing.writeHead(refused.status, { 'Content-Type': PLAIN_TEXT, Connection: 'close' }).end(textOf(refused));
}

/** The same where HTTP is over, or has not begun. */
function refuseRaw(client: Duplex, refused: Refused): void {
  if (client.destroyed || !client.writable) return void client.destroy();
  const text = textOf(refused);
  const status = `HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status]}`;
  const headers = [`Content-Type: ${PLAIN_TEXT}`, `Content-Length: ${Buffer.byteLength(text)}`, 'Connection: close'];
  client.end([status, ...headers, '', text].join('\r\n'));
  // What is still on its way is read: to cut it off would take the answer away as well.
  client.resume();
  const late = setTimeout(() => client.destroy(), LINGER_MS);
  client.once('close', () => clearTimeout(late)).once('end', () => client.destroy());
}
