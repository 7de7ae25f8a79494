import Anthropic from '@anthropic-ai/sdk';
import { z } from 'zod';
import { watchedFetch } from './anthropic-transport';

export interface ClientOptions {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly timeoutMs: number;
}

/** The SDK's client. Everything that it would otherwise look for in the environment is given here. */
export function createClient({ apiKey, baseUrl, fetch, timeoutMs }: ClientOptions): Anthropic {
  return new Anthropic({
    apiKey,
    baseURL: baseUrl,
    webhookKey: null,
    openTelemetry: false,
    logLevel: 'off',
    fetch,
    timeout: timeoutMs,
  });
}

/** A run waits for the answer, and goes on without it. */
const ASK_TIMEOUT_MS = 10_000;

const ModelInfo = z.object({ max_input_tokens: z.number().int().positive().nullish() });

/**
 * How many tokens the API says that a model takes in; null where it does not say: an older API, another server that
 * speaks only the messages, or no answer in time.
 * @throws the signal's reason when it was aborted
 */
export async function askContextTokens(
  model: string,
  { apiKey, baseUrl }: Pick<ClientOptions, 'apiKey' | 'baseUrl'>,
  signal: AbortSignal,
): Promise<number | null> {
  const fetch = watchedFetch(apiKey, 0, { onSend: () => {}, onRetry: () => {} });
  try {
    const client = createClient({ apiKey, baseUrl, fetch, timeoutMs: ASK_TIMEOUT_MS });
    const info = ModelInfo.parse(await client.models.retrieve(model, {}, { signal, maxRetries: 0 }));
    return info.max_input_tokens ?? null;
  } catch {
    signal.throwIfAborted();
    return null;
  }
}
