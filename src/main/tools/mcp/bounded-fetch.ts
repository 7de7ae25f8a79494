import { setTimeout as delay } from 'node:timers/promises';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type FloodGate, MAX_MESSAGE_BYTES } from './flood-gate';
import { ServerError } from './server';

/** Between two openings of the stream for what the server says by itself: it chooses when to close it, not how often. */
const STREAM_PAUSE_MS = 1_000;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * `fetch` for one server: nothing but its own origin, no redirect to anywhere else, no credentials, and no more than it
 * may send.
 * @param onBroken called when the server does what no server may, with why
 */
export function boundedFetch(address: string, gate: FloodGate, onBroken: (why: string) => void): FetchLike {
  const { origin } = new URL(address);
  let nextStream = 0;
  return async (url, init) => {
    if (new URL(url).origin !== origin) throw new ServerError(`the server redirects away from ${origin}`);
    if ((init?.method ?? 'GET') === 'GET') {
      const wait = nextStream - performance.now();
      nextStream = Math.max(nextStream, performance.now()) + STREAM_PAUSE_MS;
      if (wait > 0) await delay(wait, undefined, init?.signal ? { signal: init.signal } : {});
    }
    const response = await fetch(url, { ...init, redirect: 'manual', credentials: 'omit' });
    if (response.body === null) return response;
    const streams = /^text\/event-stream\b/.test(response.headers.get('content-type') ?? '');
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(bounded(streams, gate, onBroken)), { status, statusText, headers });
  };
}

/** Counts what goes through: a whole answer, or of a stream each of its events. */
function bounded(streams: boolean, gate: FloodGate, onBroken: (why: string) => void) {
  let length = 0;
  let lastByte = 0;
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const at = streams ? lastEventEnd(chunk, lastByte) : -1;
      length = at === -1 ? length + chunk.length : chunk.length - at;
      lastByte = chunk.at(-1) ?? lastByte;
      const why =
        gate.data(chunk.length) ??
        (length > MAX_MESSAGE_BYTES ? `sent a message of more than ${MAX_MESSAGE_BYTES >> 20} MiB` : null);
      if (why === null) return controller.enqueue(chunk);
      controller.error(new ServerError(`the server ${why}`));
      onBroken(why);
    },
  });
}

/** Where the last empty line ends, which ends an event; -1 where there is none. */
function lastEventEnd(chunk: Uint8Array, before: number): number {
  for (let at = chunk.length - 1; at >= 0; at--) {
    const byte = chunk[at];
    const previous = at > 0 ? chunk[at - 1] : before;
    if (byte === LINE_FEED && previous === LINE_FEED) return at + 1;
    if (byte === CARRIAGE_RETURN && (previous === LINE_FEED || previous === CARRIAGE_RETURN)) return at + 1;
  }
  return -1;
}
