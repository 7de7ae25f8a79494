/** What the server answers: built by the functions below, from what a test wants to say. */

export type StopReason =
  | 'end_turn'
  | 'tool_use'
  | 'max_tokens'
  | 'stop_sequence'
  | 'refusal'
  | 'pause_turn'
  | 'model_context_window_exceeded';

/** A place where a stream waits until the test lets it go on. */
export interface Gate {
  /** Resolves when the stream has come here and waits. */
  readonly reached: Promise<void>;
  open(): void;
  /** For the server: marks the gate as reached and waits for `open`. */
  pass(): Promise<void>;
}

export function gate(): Gate {
  let markReached = (): void => {};
  let markOpen = (): void => {};
  const reached = new Promise<void>((resolve) => {
    markReached = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    markOpen = resolve;
  });
  return {
    reached,
    open: () => markOpen(),
    pass: () => {
      markReached();
      return opened;
    },
  };
}

type Piece = string | Gate;

export type Block =
  | { readonly type: 'text'; readonly pieces: readonly Piece[] }
  | { readonly type: 'thinking'; readonly pieces: readonly Piece[]; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly pieces: readonly Piece[] }
  | { readonly type: 'tool_use_at_start'; readonly id: string; readonly name: string; readonly input: object }
  | { readonly type: 'server_tool_use'; readonly id: string; readonly name: string; readonly pieces: readonly Piece[] }
  | { readonly type: 'tool_search_tool_result'; readonly id: string; readonly content: object };

const searched = (id: string, query: string, content: object): readonly [Block, Block] => [
  { type: 'server_tool_use', id, name: 'tool_search_tool_bm25', pieces: [...JSON.stringify({ query })] },
  { type: 'tool_search_tool_result', id, content },
];

/** The API's own search for tools, its input character by character, and the tools that it found. */
export const toolSearch = (id: string, query: string, ...found: readonly string[]): readonly [Block, Block] =>
  searched(id, query, {
    type: 'tool_search_tool_search_result',
    tool_references: found.map((name) => ({ type: 'tool_reference', tool_name: name })),
  });

/** A search that failed on the API's side. */
export const failedToolSearch = (id: string, query: string): readonly [Block, Block] =>
  searched(id, query, { type: 'tool_search_tool_result_error', error_code: 'unavailable', error_message: null });

/** A text block, streamed in exactly these pieces. */
export const text = (...pieces: readonly Piece[]): Block => ({ type: 'text', pieces });

/** A thinking block; its signature comes in a `signature_delta` just before it stops. */
export const thinking = (signature: string, ...pieces: readonly Piece[]): Block => ({
  type: 'thinking',
  signature,
  pieces,
});

export const redactedThinking = (data: string): Block => ({ type: 'redacted_thinking', data });

/** A tool call whose arguments come in exactly these `input_json_delta` pieces. */
export const toolCall = (id: string, name: string, ...pieces: readonly Piece[]): Block => ({
  type: 'tool_use',
  id,
  name,
  pieces,
});

/** A tool call whose arguments stand in `content_block_start` already, as some servers do it. */
export const wholeToolCall = (id: string, name: string, input: object): Block => ({
  type: 'tool_use_at_start',
  id,
  name,
  input,
});

export interface UsageNumbers {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export type Step =
  | { readonly do: 'event'; readonly event: string; readonly data: unknown }
  | { readonly do: 'wait'; readonly gate: Gate }
  | { readonly do: 'raw'; readonly text: string }
  /** Destroys the socket. */
  | { readonly do: 'cut' }
  /** Sends nothing more and keeps the connection, until the client goes. */
  | { readonly do: 'stall' };

export interface MessageReply {
  readonly kind: 'message';
  readonly blocks: readonly Block[];
  readonly stopReason: StopReason | null;
  readonly usage: UsageNumbers;
  /** Changes the steps of the stream, in order: cutting it, breaking it. */
  readonly edits: readonly ((steps: readonly Step[]) => readonly Step[])[];
}

export interface FailureReply {
  readonly kind: 'failure';
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Never answers at all: not even the status. */
export interface SilentReply {
  readonly kind: 'silence';
}

export type Reply = MessageReply | FailureReply | SilentReply;

export interface MessageOptions {
  readonly stopReason?: StopReason | null;
  readonly usage?: Partial<UsageNumbers>;
}

const isCall = (block: Block): boolean => block.type === 'tool_use' || block.type === 'tool_use_at_start';

/** A whole message. The stop reason is `tool_use` where a block is a call and none is given, else `end_turn`. */
export function message(blocks: readonly Block[], options: MessageOptions = {}): MessageReply {
  const natural = blocks.some(isCall) ? 'tool_use' : 'end_turn';
  return {
    kind: 'message',
    blocks,
    stopReason: options.stopReason === undefined ? natural : options.stopReason,
    usage: { input: 100, output: 20, cacheRead: 0, cacheWrite: 0, ...options.usage },
    edits: [],
  };
}

/** A message of one text block: the most common reply. */
export const say = (...pieces: readonly Piece[]): MessageReply => message([text(...pieces)]);

const FAILURE_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

/** An HTTP error as the API words it. `retry-after-ms` is 1, so that a client that retries does so at once. */
export function failure(status: number, words: string, headers: Readonly<Record<string, string>> = {}): FailureReply {
  return {
    kind: 'failure',
    status,
    type: FAILURE_TYPES[status] ?? 'api_error',
    message: words,
    headers: { 'retry-after-ms': '1', ...headers },
  };
}

export const silence: SilentReply = { kind: 'silence' };

function edited(reply: MessageReply, edit: (steps: readonly Step[]) => readonly Step[]): MessageReply {
  return { ...reply, edits: [...reply.edits, edit] };
}

/** The first `count` steps of the stream, then the socket is destroyed. */
export const cutAfter = (count: number, reply: MessageReply): MessageReply =>
  edited(reply, (steps) => [...steps.slice(0, count), { do: 'cut' }]);

/** The first `count` steps of the stream, then nothing, until the client goes. */
export const stallAfter = (count: number, reply: MessageReply): MessageReply =>
  edited(reply, (steps) => [...steps.slice(0, count), { do: 'stall' }]);

/** The first `count` steps of the stream, then an `error` event, as when the API is overloaded in mid-reply. */
export const errorAfter = (count: number, type: string, words: string, reply: MessageReply): MessageReply =>
  edited(reply, (steps) => [
    ...steps.slice(0, count),
    { do: 'event', event: 'error', data: { type: 'error', error: { type, message: words } } },
  ]);

/** The first `count` steps, then these bytes in place of the rest. */
export const rawAfter = (count: number, raw: string, reply: MessageReply): MessageReply =>
  edited(reply, (steps) => [...steps.slice(0, count), { do: 'raw', text: raw }]);

/** Everything but the last event: the stream ends politely, and too early. */
export const withoutMessageStop = (reply: MessageReply): MessageReply => edited(reply, (steps) => steps.slice(0, -1));

/** A ping before every event, as the API may send them at any time. */
export const withPings = (reply: MessageReply): MessageReply =>
  edited(reply, (steps) =>
    steps.flatMap((step): readonly Step[] => [{ do: 'event', event: 'ping', data: { type: 'ping' } }, step]),
  );
