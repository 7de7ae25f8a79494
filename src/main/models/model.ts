import type { AssistantBlock, StopReason, Usage } from '@shared/events';
import type { CallId } from '@shared/ids';
import type { Provider } from '@shared/states';

/** A tool as the model is told of it. `inputSchema` is a JSON Schema of type object. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Whether its definition may wait behind the provider's tool search. */
  readonly deferrable?: boolean;
}

/** The conversation as every provider gets it. A `results` message answers all calls of the assistant's before it. */
export type ConversationMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly blocks: readonly AssistantBlock[] }
  | { readonly role: 'results'; readonly results: readonly ToolResultMessage[] };

export interface ToolResultMessage {
  readonly callId: CallId;
  readonly content: string;
  readonly isError: boolean;
}

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ConversationMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly maxOutputTokens: number;
  readonly thinking: boolean;
  /** How long one reply may take in milliseconds, its retries not counted. */
  readonly timeoutMs: number;
}

/** What comes while a reply streams. After `retry`, everything streamed in that attempt is void. */
export type ModelProgress =
  | { readonly type: 'attempt'; readonly attempt: number }
  | { readonly type: 'delta'; readonly kind: 'text' | 'thinking'; readonly text: string }
  | { readonly type: 'retry'; readonly attempt: number; readonly reason: string };

export interface ModelReply {
  readonly blocks: readonly AssistantBlock[];
  readonly stopReason: StopReason;
  /** Of all attempts, broken ones included. */
  readonly usage: Usage;
  /** What the conversation comes to with this reply, in tokens as the provider counted them for the attempt that came whole. */
  readonly conversationTokens: number;
}

/** One language model. Implementations hold no conversation: every request carries all of it. */
export interface LanguageModel {
  readonly provider: Provider;
  readonly name: string;
  /**
   * Streams one reply; resolves when it is complete.
   * @throws ModelError for what the operator has to read; the signal's reason when it was aborted.
   */
  reply(request: ModelRequest, onProgress: (progress: ModelProgress) => void, signal: AbortSignal): Promise<ModelReply>;
  /**
   * How many tokens the model takes in; Infinity where nothing is too long for it. A safe guess where nobody says.
   * @throws the signal's reason when it was aborted; nothing else
   */
  contextTokens(signal: AbortSignal): Promise<number>;
}

/** A model call that failed for good. The message is for the operator: what happened and what to do. */
export class ModelError extends Error {
  override readonly name: string = 'ModelError';

  constructor(
    message: string,
    /** What it cost all the same; null where it cost nothing. */
    readonly usage: Usage | null = null,
  ) {
    super(message);
  }
}

/** The conversation is longer than the model's context: a shorter one would be taken. */
export class PromptTooLong extends ModelError {
  override readonly name = 'PromptTooLong';
}
