import type { AssistantBlock, StopReason } from '@shared/events';
import { CallId } from '@shared/ids';
import { JsonObject } from '@shared/json';
import type { BlockStart, StreamEvent, UsageFields } from './anthropic-events';
import { NO_TOKENS, type TokenCount } from './prices';

/** A reply that did not come whole, and may when it is asked for again. */
export class BrokenStream extends Error {
  override readonly name = 'BrokenStream';
}

type Draft =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'thinking'; text: string; signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly id: CallId; readonly name: string; inputText: string; atStart: string }
  | { readonly type: 'server_tool_use'; readonly data: ProviderData; inputText: string }
  | { readonly type: 'provider'; readonly data: ProviderData }
  | { readonly type: 'other' };

type ProviderData = Extract<AssistantBlock, { type: 'provider' }>['data'];

export interface Delta {
  readonly kind: 'text' | 'thinking';
  readonly text: string;
}

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end_turn',
  tool_use: 'tool_use',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  refusal: 'refusal',
  pause_turn: 'pause_turn',
};

/** Builds one reply from its events. The arguments of a call are the concatenated pieces, untouched. */
export class Assembly {
  readonly #drafts = new Map<number, Draft>();
  readonly #callIds = new Set<string>();
  #tokens: TokenCount = NO_TOKENS;
  #stopReason: string | null = null;
  #complete = false;

  /** What the provider has counted so far: for a broken reply too. */
  get tokens(): TokenCount {
    return this.#tokens;
  }

  get complete(): boolean {
    return this.#complete;
  }

  /**
   * Takes the next event; gives what the operator can read of it, if anything.
   * @throws BrokenStream when it does not fit what came before
   */
  add(event: StreamEvent): Delta | null {
    switch (event.type) {
      case 'message_start':
        this.#count(event.message.usage);
        return null;
      case 'content_block_start':
        return this.#start(event.index, event.content_block);
      case 'content_block_delta':
        return this.#extend(event);
      case 'content_block_stop':
        return null;
      case 'message_delta':
        this.#stopReason = event.delta.stop_reason ?? this.#stopReason;
        this.#count(event.usage);
        return null;
      case 'message_stop':
        this.#complete = true;
        return null;
    }
  }

  /** The reply was cut off because the conversation filled the model's context. */
  get contextExceeded(): boolean {
    return this.#stopReason === 'model_context_window_exceeded';
  }

  get stopReason(): StopReason {
    const reason = this.#stopReason ?? '';
    return Object.hasOwn(STOP_REASONS, reason) ? (STOP_REASONS[reason] ?? 'other') : 'other';
  }

  blocks(): AssistantBlock[] {
    const inOrder = [...this.#drafts].sort(([a], [b]) => a - b);
    return inOrder.flatMap(([, draft]): AssistantBlock[] => {
      if (draft.type === 'other') return [];
      if (draft.type === 'server_tool_use') return [{ type: 'provider', data: withInput(draft) }];
      if (draft.type !== 'tool_use') return [draft];
      const { type, id, name, inputText, atStart } = draft;
      return [{ type, id, name, inputText: inputText === '' ? atStart : inputText }];
    });
  }

  #start(index: number, block: BlockStart | { readonly type: 'other' }): Delta | null {
    if (this.#drafts.has(index)) throw new BrokenStream('the reply named one of its blocks twice');
    switch (block.type) {
      case 'text':
        this.#drafts.set(index, { type: 'text', text: block.text });
        return block.text === '' ? null : { kind: 'text', text: block.text };
      case 'thinking':
        this.#drafts.set(index, { type: 'thinking', text: block.thinking, signature: block.signature });
        return block.thinking === '' ? null : { kind: 'thinking', text: block.thinking };
      case 'tool_use': {
        if (this.#callIds.has(block.id)) throw new BrokenStream('the reply gave two calls the same id');
        this.#callIds.add(block.id);
        const atStart = Object.keys(block.input ?? {}).length === 0 ? '' : JSON.stringify(block.input);
        this.#drafts.set(index, {
          type: 'tool_use',
          id: CallId.parse(block.id),
          name: block.name,
          inputText: '',
          atStart,
        });
        return null;
      }
      case 'server_tool_use': {
        const { type, id, name, input } = block;
        this.#drafts.set(index, { type, data: { type, id, name, input: input ?? {} }, inputText: '' });
        return null;
      }
      case 'tool_search_tool_result':
        this.#drafts.set(index, { type: 'provider', data: block });
        return null;
      default:
        this.#drafts.set(index, block);
        return null;
    }
  }

  #extend({ index, delta }: Extract<StreamEvent, { type: 'content_block_delta' }>): Delta | null {
    const draft = this.#drafts.get(index);
    if (draft === undefined) throw new BrokenStream('the reply went on with a block that it had not begun');
    if (draft.type === 'text' && delta.type === 'text_delta') {
      draft.text += delta.text;
      return { kind: 'text', text: delta.text };
    }
    if (draft.type === 'thinking' && delta.type === 'thinking_delta') {
      draft.text += delta.thinking;
      return { kind: 'thinking', text: delta.thinking };
    }
    if (draft.type === 'thinking' && delta.type === 'signature_delta') draft.signature += delta.signature;
    else if ((draft.type === 'tool_use' || draft.type === 'server_tool_use') && delta.type === 'input_json_delta') {
      draft.inputText += delta.partial_json;
    } else if (draft.type !== 'other' && delta.type !== 'other') {
      throw new BrokenStream('the reply mixed up the kinds of its blocks');
    }
    return null;
  }

  /** The counts are cumulative: each replaces the one before. */
  #count(usage: UsageFields | undefined): void {
    if (usage === undefined) return;
    this.#tokens = {
      input: usage.input_tokens ?? this.#tokens.input,
      output: usage.output_tokens ?? this.#tokens.output,
      cacheRead: usage.cache_read_input_tokens ?? this.#tokens.cacheRead,
      cacheWrite: usage.cache_creation_input_tokens ?? this.#tokens.cacheWrite,
    };
  }
}

/** The input of the provider's own call, which streams like that of any other. @throws BrokenStream when it is no JSON */
function withInput({ data, inputText }: { readonly data: ProviderData; readonly inputText: string }): ProviderData {
  if (inputText === '') return data;
  const input = JsonObject.safeParse(parsed(inputText));
  if (!input.success) throw new BrokenStream('the input of a search for tools was malformed');
  return { ...data, input: input.data };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
