import { setTimeout as wait } from 'node:timers/promises';
import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import type { Usage } from '@shared/events';
import { Assembly, BrokenStream } from './anthropic-assembly';
import { breakReason } from './anthropic-breaks';
import { askContextTokens, createClient } from './anthropic-client';
import { toInstructions, toMessages } from './anthropic-conversation';
import { toModelError, withUsage } from './anthropic-errors';
import { readEvent } from './anthropic-events';
import { watchedFetch } from './anthropic-transport';
import {
  type LanguageModel,
  ModelError,
  type ModelProgress,
  type ModelReply,
  type ModelRequest,
  PromptTooLong,
} from './model';
import { addTokens, costUsd, NO_TOKENS, sumTokens, type TokenCount } from './prices';
import { ReplyClock } from './reply-clock';
import { thinkingFor } from './thinking';
import { toolSearch } from './tool-search';

const DEFAULT_BASE_URL = 'https://api.anthropic.com';
/** What every Claude takes in at least; where a model takes less, the API says so and the conversation is shortened. */
const DEFAULT_CONTEXT_TOKENS = 200_000;
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

function usageOf({ tokens, costUsd }: Spent): Usage {
  return { ...tokens, costUsd };
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

  get #baseUrl(): string {
    return this.#options.baseUrl ?? DEFAULT_BASE_URL;
  }

  async contextTokens(signal: AbortSignal): Promise<number> {
    const { apiKey } = this.#options;
    const asked =
      apiKey === null ? null : await askContextTokens(this.name, { apiKey, baseUrl: this.#baseUrl }, signal);
    return asked ?? DEFAULT_CONTEXT_TOKENS;
  }

  async reply(request: ModelRequest, onProgress: Progress, signal: AbortSignal): Promise<ModelReply> {
    signal.throwIfAborted();
    const { apiKey } = this.#options;
    if (apiKey === null) throw new ModelError('there is no API key: add one in Settings');
    const host = hostOf(this.#baseUrl);
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
      const failed = toModelError(error, { model: this.name, host, apiKey, attempts: spent.attempts });
      throw withUsage(failed, sumTokens(spent.tokens) === 0 ? null : usageOf(spent));
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
      // Our own clock decides; the SDK's must never be the first.
      const client = createClient({ apiKey, baseUrl: this.#baseUrl, fetch, timeoutMs: request.timeoutMs + 60_000 });
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
    if (assembly.contextExceeded) throw new PromptTooLong("the reply was cut off where the model's context ends");
    return {
      blocks: assembly.blocks(),
      stopReason: assembly.stopReason,
      usage: usageOf(spent),
      conversationTokens: sumTokens(assembly.tokens),
    };
  }

  #body(request: ModelRequest): MessageCreateParamsStreaming {
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

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    throw new ModelError(`"${url}" is not the address of a server: check ANTHROPIC_BASE_URL`);
  }
}
