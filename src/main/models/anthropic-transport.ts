/** What stands between the SDK and the network: it sends what was meant, and tells which attempts were made. */

/** Longer than this nobody is kept waiting for an overloaded API; the run ends and says how long it asks for. */
const LONGEST_WAIT_SECONDS = 60;

const PASSED_HEADERS = ['accept', 'content-type', 'content-length', 'user-agent', 'anthropic-version'];

export interface AttemptWatcher {
  /** A request goes out. */
  onSend(): void;
  /** It failed in a way that the SDK answers by asking again. */
  onRetry(reason: string): void;
}

/** The SDK's own rule for asking again, so that the operator is told while it waits and not afterwards. */
function willRetry(response: Response): boolean {
  const said = response.headers.get('x-should-retry');
  if (said === 'true' || said === 'false') return said === 'true';
  return [408, 409, 429].includes(response.status) || response.status >= 500;
}

/** How long an overloaded API asks to be left alone, in seconds; null where it does not say. */
export function retryAfterSeconds(headers: Headers | undefined): number | null {
  const ms = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (!Number.isNaN(ms)) return ms / 1_000;
  const seconds = Number.parseFloat(headers?.get('retry-after') ?? '');
  return Number.isNaN(seconds) ? null : seconds;
}

/** An HTTP status in a few words: "529 overloaded". */
export function statusWords(status: number): string {
  if (status === 429) return '429 rate limited';
  if (status === 529) return '529 overloaded';
  if (status === 408) return '408 timed out';
  return status >= 500 ? `${status} server error` : String(status);
}

/** Why a request got no answer at all, in a few words, from the code of the system's error where there is one. */
export function connectionWords(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const code = 'code' in at && typeof at.code === 'string' ? at.code : null;
    if (code !== null) return `no connection (${code})`;
  }
  return 'no connection';
}

/** Only what a message needs, and only this key: the SDK also takes headers from the environment. */
function cleanHeaders(given: RequestInit['headers'], apiKey: string): Headers {
  const clean = new Headers();
  new Headers(given).forEach((value, name) => {
    if (PASSED_HEADERS.includes(name) || name.startsWith('x-stainless-')) clean.set(name, value);
  });
  clean.set('authorization', `Bearer ${apiKey}`);
  return clean;
}

function refuseLongWait(response: Response): Response {
  const seconds = retryAfterSeconds(response.headers);
  if (seconds === null || seconds <= LONGEST_WAIT_SECONDS) return response;
  const headers = new Headers(response.headers);
  headers.set('x-should-retry', 'false');
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

/**
 * A `fetch` for one reply.
 * @param retries how many times the SDK was told to ask again
 */
export function watchedFetch(apiKey: string, retries: number, watcher: AttemptWatcher): typeof fetch {
  let left = retries;
  const retrying = (reason: string): void => {
    if (left === 0) return;
    left -= 1;
    watcher.onRetry(reason);
  };
  return async (input, init) => {
    watcher.onSend();
    let response: Response;
    try {
      response = await fetch(input, { ...init, headers: cleanHeaders(init?.headers, apiKey) });
    } catch (error) {
      if (init?.signal?.aborted !== true) retrying(connectionWords(error));
      throw error;
    }
    const checked = refuseLongWait(response);
    if (!checked.ok && willRetry(checked)) retrying(statusWords(checked.status));
    return checked;
  };
}
