import type { ConversationMessage, LanguageModel, ModelReply } from '../models/model';
import type { Limits } from './settings';

/** Shorter than this no conversation comes near to a context: nobody needs to know how long it may be. */
const SHORT_TOKENS = 20_000;

/** From this part of what fits on, older turns are summarised: the reply and its results still need room. */
const FULL_AT = 0.75;

/** However long a reply may be, this part of what fits is the conversation's. */
const OWN_PART = 0.5;

/** Bytes of a token, on the safe side, for what no provider has counted yet: of English and code it is four, of CJK three. */
export const TOKEN_BYTES = 3;

/** About how many tokens something is that goes to the model. Pure. */
export function estimateTokens(value: unknown): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(value)) / TOKEN_BYTES);
}

/** How many tokens a conversation may come to before older turns are summarised. Pure. */
export function lineOf(contextTokens: number, maxOutputTokens: number): number {
  return Math.max(contextTokens * OWN_PART, Math.min(contextTokens * FULL_AT, contextTokens - maxOutputTokens));
}

/** Measures a run's conversation against what its model takes in. */
export class ContextMeter {
  #contextTokens: number | null = null;
  /** What the provider counted last, and for how many messages of the conversation. */
  #counted: { readonly tokens: number; readonly messages: number } | null = null;

  constructor(
    private readonly model: LanguageModel,
    private readonly limits: Limits,
    /** Tokens that go with every request: the system prompt and the tools. */
    private readonly fixedTokens: number,
  ) {}

  /** How many tokens the model takes in: as the agent file says, else as the provider does. */
  async contextTokens(signal: AbortSignal): Promise<number> {
    this.#contextTokens ??= this.limits.contextTokens ?? (await this.model.contextTokens(signal));
    return this.#contextTokens;
  }

  /** Takes over what the provider counted for a conversation that ends with this reply. */
  count(
    { conversationTokens }: Pick<ModelReply, 'conversationTokens'>,
    messages: readonly ConversationMessage[],
  ): void {
    const reply = messages.findLastIndex(({ role }) => role === 'assistant');
    // A server that counts nothing says nothing.
    this.#counted = conversationTokens > 0 ? { tokens: conversationTokens, messages: reply + 1 } : null;
  }

  /** The model refused a conversation: it takes in less than that. */
  async wasTooLong(messages: readonly ConversationMessage[], signal: AbortSignal): Promise<void> {
    this.#contextTokens = Math.min(await this.contextTokens(signal), this.tokens(messages));
  }

  /** The conversation became another one: what was counted is no part of it. */
  forget(): void {
    this.#counted = null;
  }

  /** About how many tokens the next request comes to. */
  tokens(messages: readonly ConversationMessage[]): number {
    const counted = this.#counted;
    if (counted === null) return this.fixedTokens + estimateTokens(messages);
    return counted.tokens + estimateTokens(messages.slice(counted.messages));
  }

  /** What goes with every request comes to, where that is more than the conversation itself; null where it is not. */
  fixedPart(messages: readonly ConversationMessage[]): number | null {
    return this.fixedTokens > estimateTokens(messages) ? this.fixedTokens : null;
  }

  /** Whether older turns are to be summarised before the model is asked again. */
  async isFull(messages: readonly ConversationMessage[], signal: AbortSignal): Promise<boolean> {
    const tokens = this.tokens(messages);
    const short = this.limits.contextTokens === undefined && tokens < SHORT_TOKENS;
    return !short && tokens > lineOf(await this.contextTokens(signal), this.limits.maxOutputTokens);
  }
}
