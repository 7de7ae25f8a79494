import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Place } from '../../network/host-rules';

const HTTP_PORT = 80;

/** Headers that are about one connection and not about the message (RFC 9110, 7.6.1), and those for a proxy. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
]);

/** For others Node itself would say that a body comes. */
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

/**
 * Hands on one request in plain HTTP, and its answer. Both are written anew from what was read, so that nobody reads
 * them differently. Settles when nobody waits for more of it.
 * @throws Error (as a rejection) where there is no answer that can be read
 */
export function forward(
  { place, path }: { readonly place: Place; readonly path: string },
  upstream: Socket,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const { headers, rawHeaders, method } = incoming;
    const request = httpRequest({
      method,
      path,
      setHost: false,
      headers: [
        ...['Host', place.port === HTTP_PORT ? place.host : `${place.host}:${place.port}`, 'Connection', 'close'],
        ...framing(method, headers),
        ...ofTheMessage(rawHeaders),
      ],
      insecureHTTPParser: false,
      createConnection: () => upstream,
    });
    const fail = (error: Error): void => {
      upstream.destroy();
      if (outgoing.headersSent) outgoing.destroy();
      reject(error);
    };
    request.on('error', fail);
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      fail(Object.assign(new Error('It wants to speak another protocol.'), { code: 'HPE_UPGRADE' }));
    });
    request.on('response', (response) => {
      response.on('error', fail);
      try {
        outgoing.sendDate = false;
        outgoing.shouldKeepAlive = false;
        outgoing.writeHead(response.statusCode ?? 502, ofTheMessage(response.rawHeaders));
        response.pipe(outgoing);
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)));
      }
    });
    incoming.on('error', fail);
    // Whoever asked is gone, or has all of it: nothing more is to be told.
    outgoing.once('close', () => {
      resolve();
      request.destroy();
    });
    incoming.pipe(request);
  });
}

/** How the body ends, where `Content-Length` does not say it: a request without either has none. */
function framing(method: string | undefined, headers: IncomingMessage['headers']): string[] {
  if (headers['transfer-encoding'] !== undefined) return ['Transfer-Encoding', 'chunked'];
  const saysNothing = headers['content-length'] !== undefined || WITHOUT_BODY.has(method ?? '');
  return saysNothing ? [] : ['Content-Length', '0'];
}

/** @param rawHeaders names and values in turn. What `Connection` names is about the connection too. */
function ofTheMessage(rawHeaders: readonly string[]): string[] {
  const pairs = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
  );
  const named = pairs.filter(([name]) => name.toLowerCase() === 'connection').flatMap(([, value]) => value.split(','));
  const left = new Set([...OF_THE_CONNECTION, ...named.map((name) => name.trim().toLowerCase())]);
  return pairs.filter(([name]) => !left.has(name.toLowerCase())).flat();
}
