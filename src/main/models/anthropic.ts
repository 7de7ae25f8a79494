import { setTimeout as wait } from 'node:timers/promises';
import Anthropic, { APIConnectionError, APIError } from '@anthropic-ai/sdk';
import { ZodError } from 'zod';
import { Assembly, BrokenStream } from './anthropic-assembly';
import { toInstructions, toMessages } from './anthropic-conversation';
import { toModelError } from './anthropic-errors';
import { readEvent } from './anthropic-events';
import { watchedFetch } from './anthropic-transport';
import { type LanguageModel, ModelError, type ModelProgress, type ModelReply, type ModelRequest } from './model';
import { addTokens, costUsd, NO_TOKENS, type TokenCount } from './prices';
import { ReplyClock } from './reply-clock';
import { thinkingFor } from './thinking';
import { toolSearch } from './tool-search';

const DEFAULT_BASE_URL = 'https://api.anthropic.com';
/** How often the SDK asks again, over the whole of one reply, before anything has streamed. */
const MAX_RETRIES = 3;
/** How often a reply that broke off in mid-stream is asked for, in all. */
const MAX_STREAMS = 3;

export interface AnthropicOptions {
  readonly model: string;
  readonly apiKey: string | null;
  /** Any server that speaks the Messages API; null for Anthropic's own. */
  readonly baseUrl: string | null;
  /** How long to wait before a broken reply is asked for again, in milliseconds, after its first, second break. */
  readonly backoffMs?: (breaks: number) => number;
  readonly maxRetries?: number;
}

type Progress = (progress: ModelProgress) => void;

/** What one reply has used up so far, over all its attempts. */
interface Spent {
  attempts: number;
  retries: number;
  tokens: TokenCount;
  /** In US dollars, priced attempt by attempt; null where no price is known. */
  costUsd: number | null;
}

/** A Claude model behind the Messages API, asked with the SDK's raw stream. */
export class AnthropicModel implements LanguageModel {
  readonly provider = 'anthropic';
  readonly name: string;
  readonly #options: AnthropicOptions;

  constructor(options: AnthropicOptions) {
    this.name = options.model;
    this.#options = options;
  }

  async reply(request: ModelRequest, onProgress: Progress, signal: AbortSignal): Promise<ModelReply> {
    signal.throwIfAborted();
    const { apiKey, baseUrl } = this.#options;
    if (apiKey === null) throw new ModelError('there is no API key: add one in Settings');
    const host = hostOf(baseUrl ?? DEFAULT_BASE_URL);
    const spent: Spent = { attempts: 0, retries: 0, tokens: NO_TOKENS, costUsd: 0 };
    try {
      for (let breaks = 0; ; ) {
        try {
          return await this.#stream(apiKey, request, onProgress, signal, spent);
        } catch (error) {
          signal.throwIfAborted();
          const reason = breakReason(error);
          if (reason === null) throw error;
          breaks += 1;
          if (breaks === MAX_STREAMS) {
            throw new ModelError(
              `the reply broke off ${breaks} times, the last time because ${reason}: try again later`,
            );
          }
          onProgress({ type: 'retry', attempt: spent.attempts, reason });
          const backoff = this.#options.backoffMs ?? ((count) => 500 * 2 ** count);
          await wait(backoff(breaks), undefined, { signal });
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      throw toModelError(error, { model: this.name, host, apiKey, attempts: spent.attempts });
    }
  }

  async #stream(
    apiKey: string,
    request: ModelRequest,
    onProgress: Progress,
    signal: AbortSignal,
    spent: Spent,
  ): Promise<ModelReply> {
    const retries = Math.max(0, (this.#options.maxRetries ?? MAX_RETRIES) - spent.retries);
    const clock = new ReplyClock(request.timeoutMs, signal);
    const assembly = new Assembly();
    const fetch = watchedFetch(apiKey, retries, {
      onSend: () => {
        spent.attempts += 1;
        onProgress({ type: 'attempt', attempt: spent.attempts });
        clock.start();
      },
      onRetry: (reason) => {
        spent.retries += 1;
        clock.pause();
        onProgress({ type: 'retry', attempt: spent.attempts, reason });
      },
    });
    try {
      const client = this.#client(apiKey, fetch, request.timeoutMs);
      const stream = await client.messages.create(this.#body(request), { signal: clock.signal, maxRetries: retries });
      for await (const raw of stream) {
        clock.touch();
        const event = readEvent(raw);
        const delta = event === null ? null : assembly.add(event);
        if (delta !== null && delta.text !== '') onProgress({ type: 'delta', ...delta });
        if (assembly.complete) break;
      }
      signal.throwIfAborted();
      if (!assembly.complete) throw clock.verdict() ?? new BrokenStream('the stream ended too early');
    } catch (error) {
      throw clock.verdict() ?? error;
    } finally {
      clock.stop();
      const cost = costUsd(this.name, assembly.tokens);
      spent.tokens = addTokens(spent.tokens, assembly.tokens);
      spent.costUsd = cost === null || spent.costUsd === null ? null : spent.costUsd + cost;
    }
    const usage = { ...spent.tokens, costUsd: spent.costUsd };
    return { blocks: assembly.blocks(), stopReason: assembly.stopReason, usage };
  }

  #client(apiKey: string, fetch: typeof globalThis.fetch, timeoutMs: number): Anthropic {
    // Everything that the SDK would otherwise look for in the environment is given here.
    return new Anthropic({
      apiKey,
      baseURL: this.#options.baseUrl ?? DEFAULT_BASE_URL,
      webhookKey: null,
      openTelemetry: false,
      logLevel: 'off',
      fetch,
      // Our own clock decides; the SDK's must never be the first.
      timeout: timeoutMs + 60_000,
    });
  }

  #body(request: ModelRequest): Anthropic.MessageCreateParamsStreaming {
    const thinking = thinkingFor(this.name, request.thinking, request.maxOutputTokens);
    const { deferred } = toolSearch(this.provider, this.name, request.tools);
    return {
      model: this.name,
      max_tokens: request.maxOutputTokens,
      stream: true,
      ...toInstructions(request.system, request.tools, deferred),
      messages: toMessages(request.messages, deferred),
      ...(thinking === undefined ? {} : { thinking }),
    };
  }
}

/** Why a stream broke, where asking again may help; null for every other error. */
function breakReason(error: unknown): string | null {
  if (error instanceof BrokenStream) return error.message;
  if (error instanceof ZodError || error instanceof SyntaxError) return 'the stream was malformed';
  if (error instanceof APIError && error.status === undefined && !(error instanceof APIConnectionError)) {
    return midStreamWords(error.type);
  }
  // What fetch throws when the connection is lost while the body is read.
  if (error instanceof TypeError && error.cause !== undefined) return 'the connection was lost';
  return null;
}

/** An `error` event in mid-stream, which the SDK throws without a status: words for one that may pass, else null. */
function midStreamWords(type: string | null): string | null {
  switch (type) {
    case 'overloaded_error':
      return 'the API is overloaded';
    case 'rate_limit_error':
      return "the API's rate limit is reached";
    case 'timeout_error':
      return 'the API ran out of time';
    case 'api_error':
    case null:
      return 'the API failed';
    default:
      return null;
  }
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    throw new ModelError(`"${url}" is not the address of a server: check ANTHROPIC_BASE_URL`);
  }
}
