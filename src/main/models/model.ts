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
  readonly usage: Usage;
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
}

/** A model call that failed for good. The message is for the operator: what happened and what to do. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}
