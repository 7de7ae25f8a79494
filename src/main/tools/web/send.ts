import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { bareHost } from '../../network/host-rules';
import { ToolError } from '../tool';

export interface WebRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** What the tools call themselves; no version and no system, which would tell a stranger about the machine. */
const USER_AGENT = 'Sayso';

/**
 * Sends one request, over a connection of its own, and waits for the head of the answer.
 * @param addresses the only ones that it connects to, whatever the host's name stands for by now
 * @throws ToolError when no connection stands in time; whatever else the connection fails with
 */
export function send(
  { method, url, headers, body }: WebRequest,
  addresses: readonly [string, ...string[]],
  connectMs: number,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const isSecure = url.protocol === 'https:';
  const content = body === null ? null : Buffer.from(body, 'utf8');
  return new Promise((resolve, reject) => {
    const request = (isSecure ? httpsRequest : httpRequest)({
      method,
      host: bareHost(url.hostname),
      port: url.port === '' ? undefined : Number(url.port),
      path: `${url.pathname}${url.search}`,
      headers: {
        Accept: '*/*',
        ...headers,
        'User-Agent': USER_AGENT,
        'Accept-Encoding': 'gzip, deflate, br',
        ...(content === null ? {} : { 'Content-Length': String(content.length) }),
      },
      // No shared connections, and no proxy that the environment names.
      agent: false,
      lookup: pinned(addresses),
      // Whatever the environment says.
      rejectUnauthorized: true,
      insecureHTTPParser: false,
      signal,
    });
    const late = setTimeout(() => {
      request.destroy(new ToolError(`${url.host} did not take the connection within ${connectMs / 1_000} s.`));
    }, connectMs);
    request.on('socket', (socket) => {
      socket.once(isSecure ? 'secureConnect' : 'connect', () => clearTimeout(late));
    });
    request.on('close', () => clearTimeout(late));
    request.on('error', reject);
    request.on('response', resolve);
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new ToolError(`${url.host} wants to speak another protocol than HTTP.`));
    });
    request.end(content ?? undefined);
  });
}

/** A look-up that answers with what was checked. */
function pinned(addresses: readonly [string, ...string[]]): LookupFunction {
  return (_name, options, callback) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    const [first] = found;
    process.nextTick(() => {
      if (options.all === true || first === undefined) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}
