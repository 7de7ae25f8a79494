import type { Block, Gate, MessageReply, Step } from './replies';

const event = (data: { readonly type: string }): Step => ({ do: 'event', event: data.type, data });

interface Envelope {
  readonly id: string;
  readonly model: string;
}

function usageAtStart(reply: MessageReply): object {
  return {
    input_tokens: reply.usage.input,
    cache_creation_input_tokens: reply.usage.cacheWrite,
    cache_read_input_tokens: reply.usage.cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: reply.usage.cacheWrite, ephemeral_1h_input_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: 'standard',
    inference_geo: null,
    speed: null,
  };
}

function envelope(of: Envelope, reply: MessageReply): object {
  return {
    id: of.id,
    type: 'message',
    role: 'assistant',
    model: of.model,
    container: null,
    diagnostics: null,
    stop_details: null,
    usage: usageAtStart(reply),
  };
}

const isGate = (piece: string | Gate): piece is Gate => typeof piece !== 'string';

function deltas(index: number, pieces: readonly (string | Gate)[], wrap: (piece: string) => object): readonly Step[] {
  return pieces.map((piece) =>
    isGate(piece)
      ? { do: 'wait', gate: piece }
      : event({ type: 'content_block_delta', ...{ index, delta: wrap(piece) } }),
  );
}

function blockSteps(block: Block, index: number): readonly Step[] {
  const start = (content: object): Step => event({ type: 'content_block_start', ...{ index, content_block: content } });
  const stop = event({ type: 'content_block_stop', ...{ index } });
  switch (block.type) {
    case 'text':
      return [
        start({ type: 'text', text: '', citations: null }),
        ...deltas(index, block.pieces, (piece) => ({ type: 'text_delta', text: piece })),
        stop,
      ];
    case 'thinking':
      return [
        start({ type: 'thinking', thinking: '', signature: '' }),
        ...deltas(index, block.pieces, (piece) => ({ type: 'thinking_delta', thinking: piece })),
        ...deltas(index, [block.signature], (signature) => ({ type: 'signature_delta', signature })),
        stop,
      ];
    case 'redacted_thinking':
      return [start({ type: 'redacted_thinking', data: block.data }), stop];
    case 'tool_use':
      return [
        start({ type: 'tool_use', id: block.id, name: block.name, input: {}, caller: { type: 'direct' } }),
        ...deltas(index, block.pieces, (piece) => ({ type: 'input_json_delta', partial_json: piece })),
        stop,
      ];
    case 'server_tool_use':
      return [
        start({ type: 'server_tool_use', id: block.id, name: block.name, input: {}, caller: { type: 'direct' } }),
        ...deltas(index, block.pieces, (piece) => ({ type: 'input_json_delta', partial_json: piece })),
        stop,
      ];
    case 'tool_search_tool_result':
      return [start({ type: 'tool_search_tool_result', tool_use_id: block.id, content: block.content }), stop];
    case 'tool_use_at_start':
      return [
        start({ type: 'tool_use', id: block.id, name: block.name, input: block.input, caller: { type: 'direct' } }),
        stop,
      ];
  }
}

/** The events of a streamed reply, in the API's order: start, each block, the closing delta, stop. */
export function streamSteps(of: Envelope, reply: MessageReply): readonly Step[] {
  const whole: readonly Step[] = [
    event({
      type: 'message_start',
      ...{ message: { ...envelope(of, reply), content: [], stop_reason: null, stop_sequence: null } },
    }),
    ...reply.blocks.flatMap(blockSteps),
    event({
      type: 'message_delta',
      ...{
        delta: { stop_reason: reply.stopReason, stop_sequence: null, stop_details: null, container: null },
        usage: {
          input_tokens: reply.usage.input,
          cache_creation_input_tokens: reply.usage.cacheWrite,
          cache_read_input_tokens: reply.usage.cacheRead,
          output_tokens: reply.usage.output,
          output_tokens_details: null,
          server_tool_use: null,
        },
      },
    }),
    event({ type: 'message_stop' }),
  ];
  return reply.edits.reduce<readonly Step[]>((steps, edit) => edit(steps), whole);
}

const words = (pieces: readonly (string | Gate)[]): string =>
  pieces.filter((piece): piece is string => !isGate(piece)).join('');

function wholeBlock(block: Block): object {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: words(block.pieces), citations: null };
    case 'thinking':
      return { type: 'thinking', thinking: words(block.pieces), signature: block.signature };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: block.data };
    case 'tool_search_tool_result':
      return { type: 'tool_search_tool_result', tool_use_id: block.id, content: block.content };
    case 'server_tool_use':
    case 'tool_use':
      return {
        type: block.type,
        id: block.id,
        name: block.name,
        input: JSON.parse(words(block.pieces) || '{}'),
        caller: { type: 'direct' },
      };
    case 'tool_use_at_start':
      return {
        type: 'tool_use',
        id: block.id,
        name: block.name,
        input: block.input,
        caller: { type: 'direct' },
      };
  }
}

/** The same reply in one piece, for a request without `stream`. */
export function wholeMessage(of: Envelope, reply: MessageReply): object {
  return {
    ...envelope(of, reply),
    content: reply.blocks.map(wholeBlock),
    stop_reason: reply.stopReason,
    stop_sequence: null,
    usage: { ...usageAtStart(reply), output_tokens: reply.usage.output },
  };
}
