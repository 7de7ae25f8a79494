import type { Place } from '../../network/host-rules';

/** What a request to the proxy asks for. */
export type Target =
  /** CONNECT: bytes both ways, mostly TLS. */
  | { readonly kind: 'tunnel'; readonly place: Place }
  /** One request in plain HTTP. */
  | { readonly kind: 'request'; readonly place: Place; readonly path: string }
  /** Nothing that is let through, whatever the list says. */
  | { readonly kind: 'unreadable'; readonly why: string };

const HTTP_PORT = 80;
const MAX_PORT = 65_535;
/** As DNS has it, in characters. */
const MAX_NAME = 253;

/**
 * Reads where a request is to go. There is one way to write each place, and it has to be written the same wherever it
 * stands: what two readers could take for two places is not let through.
 * @param rawHeaders names and values in turn
 */
export function readTarget(method: string, target: string, rawHeaders: readonly string[]): Target {
  const read = method === 'CONNECT' ? readTunnel(target) : readUrl(target);
  if (read.kind === 'unreadable') return read;
  const hosts = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host');
  const usual = read.kind === 'tunnel' ? read.place.port : HTTP_PORT;
  const isSame = hosts.every((text) => {
    const named = readPlace(text, usual);
    return named?.host === read.place.host && named.port === read.place.port;
  });
  return isSame && hosts.length <= 1 ? read : unreadable('the Host header does not name the same host, once');
}

function readTunnel(authority: string): Target {
  const place = readPlace(authority, null);
  return place === null ? unreadable('write CONNECT NAME:PORT, the name plainly') : { kind: 'tunnel', place };
}

function readUrl(url: string): Target {
  if (/^https:/i.test(url)) return unreadable('https goes through CONNECT');
  const [, authority, rest] = /^http:\/\/([^/?#]*)([^#]*)$/i.exec(url) ?? [];
  if (authority === undefined || rest === undefined) return unreadable('this is a proxy: write http://NAME/PATH');
  if (authority.includes('@')) return unreadable('the URL holds a user name or a password');
  const place = readPlace(authority, HTTP_PORT);
  if (place === null) return unreadable('the host is not written plainly');
  return { kind: 'request', place, path: rest.startsWith('/') ? rest : `/${rest}` };
}

/** @param usual the port where none is written; null where one has to be */
function readPlace(text: string, usual: number | null): Place | null {
  const [, written, digits] = /^(\[[\da-f:.]+\]|[\w.-]+)(?::([1-9]\d{0,4}))?$/i.exec(text) ?? [];
  const host = written?.toLowerCase() ?? '';
  const port = digits === undefined ? usual : Number(digits);
  if (host === '' || host.length > MAX_NAME || port === null || port > MAX_PORT) return null;
  // As the URL standard reads it: `0x7f.1` and `127.1` are 127.0.0.1, and have to be written so.
  return hostOf(host) === host ? { host, port } : null;
}

function hostOf(host: string): string | null {
  try {
    return new URL(`http://${host}/`).hostname;
  } catch {
    return null;
  }
}

const unreadable = (why: string): Target => ({ kind: 'unreadable', why });
