import { MAX_TOKENS } from '@shared/events';
import { JsonObject } from '@shared/json';
import { z } from 'zod';

/**
 * The events of a streamed reply, checked: the address may be any server that speaks the protocol. Unknown fields, and
 * unknown kinds of events, blocks and deltas are let through and ignored; a known kind must have its known form.
 */

/** A server may count what it likes: no reply is put on record with more than a journal holds. */
const Count = z
  .number()
  .int()
  .nonnegative()
  .transform((count) => Math.min(count, MAX_TOKENS))
  .nullish();
const UsageFields = z.object({
  input_tokens: Count,
  output_tokens: Count,
  cache_read_input_tokens: Count,
  cache_creation_input_tokens: Count,
});
export type UsageFields = z.infer<typeof UsageFields>;

const Index = z.number().int().nonnegative();

/** A kind that is not one of these. */
const other = (known: readonly string[]) =>
  z.object({ type: z.string().refine((type) => !known.includes(type)) }).transform(() => ({ type: 'other' as const }));

/** A search for tools, which the API makes itself. Only the fields that it takes back are kept. */
const ServerToolUse = z.object({
  type: z.literal('server_tool_use'),
  id: z.string().min(1).max(200),
  name: z.string().min(1).max(200),
  input: JsonObject.nullish(),
});

const ToolReference = z.object({ type: z.literal('tool_reference'), tool_name: z.string() });
export const ToolSearchResult = z.object({
  type: z.literal('tool_search_tool_result'),
  tool_use_id: z.string().min(1).max(200),
  content: z.union([
    z.object({ type: z.literal('tool_search_tool_search_result'), tool_references: z.array(ToolReference) }),
    z.object({ type: z.literal('tool_search_tool_result_error'), error_code: z.string() }),
  ]),
});

const BlockStart = z.union([
  ServerToolUse,
  ToolSearchResult,
  z.object({ type: z.literal('text'), text: z.string().default('') }),
  z.object({
    type: z.literal('thinking'),
    thinking: z.string().default(''),
    signature: z.string().default(''),
  }),
  z.object({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.object({
    type: z.literal('tool_use'),
    id: z.string().min(1).max(200),
    name: z.string(),
    input: JsonObject.nullish(),
  }),
]);
export type BlockStart = z.infer<typeof BlockStart>;
const BLOCKS = ['text', 'thinking', 'redacted_thinking', 'tool_use', 'server_tool_use', 'tool_search_tool_result'];

const Delta = z.union([
  z.object({ type: z.literal('text_delta'), text: z.string() }),
  z.object({ type: z.literal('thinking_delta'), thinking: z.string() }),
  z.object({ type: z.literal('signature_delta'), signature: z.string() }),
  z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
]);
const DELTAS = ['text_delta', 'thinking_delta', 'signature_delta', 'input_json_delta'];

const StreamEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message_start'), message: z.object({ usage: UsageFields.optional() }) }),
  z.object({
    type: z.literal('content_block_start'),
    index: Index,
    content_block: z.union([BlockStart, other(BLOCKS)]),
  }),
  z.object({ type: z.literal('content_block_delta'), index: Index, delta: z.union([Delta, other(DELTAS)]) }),
  z.object({ type: z.literal('content_block_stop'), index: Index }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({ stop_reason: z.string().nullish() }),
    usage: UsageFields.optional(),
  }),
  z.object({ type: z.literal('message_stop') }),
]);
export type StreamEvent = z.infer<typeof StreamEvent>;
const EVENTS = StreamEvent.options.map((option) => option.shape.type.value as string);

/** One event, checked; null for one of an unknown kind. @throws z.ZodError where a known kind has an unknown form */
export function readEvent(value: unknown): StreamEvent | null {
  const { type } = z.object({ type: z.string() }).parse(value);
  return EVENTS.includes(type) ? StreamEvent.parse(value) : null;
}
