import type { IncomingMessage } from 'node:http';
import { bareHost } from '../../network/host-rules';
import { ToolError } from '../tool';
import { isText } from './media-type';
import { parseLocation } from './parse-url';
import { reachableAddresses, type WebReach } from './reach';
import { readBody, type WebBody } from './read-body';
import { send, type WebRequest } from './send';
import { inWords } from './web-errors';

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface WebAnswer {
  /** Where it came from in the end. */
  readonly url: URL;
  /** Every address on the way there, the first one included; empty where there was none. */
  readonly redirectedFrom: readonly string[];
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** null: it is not text, and was not read. */
  readonly body: WebBody | null;
}

/**
 * Sends a request and reads the answer, whatever its status. Every host is checked before a name is looked up and after,
 * and the connection goes to an address that was checked; so is every host that a redirect leads to.
 * @param redirects `report` takes a redirect for the answer
 * @throws ToolError in words for the model; what the signal was aborted with
 */
export async function exchange(
  request: WebRequest,
  reach: WebReach,
  redirects: 'follow' | 'report',
  signal: AbortSignal,
): Promise<WebAnswer> {
  return inTime(reach.limits.totalMs, signal, async (ending) => {
    const redirectedFrom: string[] = [];
    let { url } = request;
    for (;;) {
      const response = await reached({ ...request, url }, reach, ending);
      try {
        const next = redirects === 'follow' ? redirectOf(response, url) : null;
        if (next === null) return { url, redirectedFrom, ...(await read(response, url, request.method, reach)) };
        if (redirectedFrom.length === MAX_REDIRECTS) {
          throw new ToolError(`It redirects more than ${MAX_REDIRECTS} times; the last time to ${next.href}.`);
        }
        redirectedFrom.push(url.href);
        url = next;
      } finally {
        response.destroy();
      }
    }
  });
}

async function reached(request: WebRequest, reach: WebReach, ending: AbortSignal): Promise<IncomingMessage> {
  const host = bareHost(request.url.hostname);
  try {
    const addresses = await unlessEnded(reachableAddresses(request.url, reach), ending);
    return await send(request, addresses, reach.limits.connectMs, ending);
  } catch (error) {
    throw inWords(error, host);
  }
}

async function read(response: IncomingMessage, url: URL, method: string, { limits }: WebReach) {
  const { headers, statusCode: status = 0 } = response;
  const empty = method === 'HEAD' || status === 204 || status === 304;
  if (!empty && !isText(headers['content-type'])) return { status, headers, body: null };
  try {
    const body = empty ? { bytes: Buffer.alloc(0), cut: false } : await readBody(response, limits.bodyBytes);
    return { status, headers, body };
  } catch (error) {
    throw inWords(error, bareHost(url.hostname));
  }
}

function redirectOf(response: IncomingMessage, from: URL): URL | null {
  const { location } = response.headers;
  if (location === undefined || !REDIRECTS.has(response.statusCode ?? 0)) return null;
  const url = parseLocation(location, from);
  if (url === null) throw new ToolError(`${bareHost(from.hostname)} redirects to something that is no URL.`);
  return url;
}

/** Runs work that ends when it is stopped or its time is over. */
async function inTime<T>(ms: number, signal: AbortSignal, work: (ending: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  const stop = () => ending.abort(signal.reason);
  const late = new ToolError(`It was ended: there was no whole answer within ${ms / 1_000} s.`);
  const timer = setTimeout(() => ending.abort(late), ms);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const done = await work(ending.signal);
    // An answer whose length is not said ends where its connection does, for whatever reason that does.
    ending.signal.throwIfAborted();
    return done;
  } catch (error) {
    // What the connection says when it is cut off is not why.
    ending.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** A look-up cannot be ended, but it can be left. */
async function unlessEnded<T>(work: Promise<T>, ending: AbortSignal): Promise<T> {
  ending.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = () => reject(ending.reason);
    ending.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => ending.removeEventListener('abort', stop));
  });
}
