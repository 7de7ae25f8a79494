import { z } from 'zod';
import { conversationProblem } from './conversation-rules';

/** The shape of a request to POST /v1/messages, as strict as the API: what it does not know, it refuses. */

const CacheControl = z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() }).nullish();
const TextBlock = z.strictObject({ type: z.literal('text'), text: z.string(), cache_control: CacheControl });
const ToolId = z.string().regex(/^[a-zA-Z0-9_-]+$/);
const ToolName = z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/);

const ContentBlock = z.discriminatedUnion('type', [
  TextBlock,
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().min(1) }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string().min(1) }),
  z.strictObject({
    type: z.literal('tool_use'),
    id: ToolId,
    name: ToolName,
    input: z.record(z.string(), z.unknown()),
    cache_control: CacheControl,
  }),
  z.strictObject({
    type: z.literal('server_tool_use'),
    id: ToolId,
    name: z.enum(['tool_search_tool_regex', 'tool_search_tool_bm25']),
    input: z.record(z.string(), z.unknown()),
    cache_control: CacheControl,
  }),
  z.strictObject({
    type: z.literal('tool_search_tool_result'),
    tool_use_id: ToolId,
    content: z.discriminatedUnion('type', [
      z.strictObject({
        type: z.literal('tool_search_tool_search_result'),
        tool_references: z.array(z.strictObject({ type: z.literal('tool_reference'), tool_name: ToolName })),
      }),
      z.strictObject({
        type: z.literal('tool_search_tool_result_error'),
        error_code: z.enum(['invalid_tool_input', 'unavailable', 'too_many_requests', 'execution_time_exceeded']),
        error_message: z.string().nullish(),
      }),
    ]),
    cache_control: CacheControl,
  }),
  z.strictObject({
    type: z.literal('tool_result'),
    tool_use_id: ToolId,
    content: z.union([z.string(), z.array(TextBlock)]).optional(),
    is_error: z.boolean().optional(),
    cache_control: CacheControl,
  }),
]);

const Message = z.strictObject({
  role: z.enum(['user', 'assistant']),
  content: z.union([z.string(), z.array(ContentBlock)]),
});

const SearchTool = z.union([
  z.strictObject({
    type: z.enum(['tool_search_tool_regex_20251119', 'tool_search_tool_regex']),
    name: z.literal('tool_search_tool_regex'),
    cache_control: CacheControl,
  }),
  z.strictObject({
    type: z.enum(['tool_search_tool_bm25_20251119', 'tool_search_tool_bm25']),
    name: z.literal('tool_search_tool_bm25'),
    cache_control: CacheControl,
  }),
]);

const CustomTool = z.strictObject({
  type: z.literal('custom').optional(),
  defer_loading: z.boolean().optional(),
  name: ToolName,
  description: z.string().optional(),
  input_schema: z.looseObject({
    type: z.literal('object'),
    properties: z.record(z.string(), z.unknown()).optional(),
    required: z.array(z.string()).optional(),
  }),
  cache_control: CacheControl,
});

const Tool = z.union([CustomTool, SearchTool]);
type Tool = z.infer<typeof Tool>;

const isDeferred = (tool: Tool): boolean => 'defer_loading' in tool && tool.defer_loading === true;
const isSearch = (tool: Tool): boolean => tool.type?.startsWith('tool_search_tool_') === true;

/** The rules of tool search: what is deferred has to be findable, and what was found has to be there. */
function searchProblem(tools: readonly Tool[], messages: z.infer<typeof Body>['messages']): string | null {
  const deferred = tools.filter(isDeferred);
  if (tools.length > 0 && deferred.length === tools.length) {
    return 'At least one tool must have defer_loading=false.';
  }
  if (deferred.length > 0 && !tools.some(isSearch)) return 'tools: deferred tools need a tool search tool';
  if (deferred.some((tool) => tool.cache_control != null)) {
    return 'tools: Tool with defer_loading=true cannot have cache_control';
  }
  const names = new Set(tools.map((tool) => tool.name));
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  const found = blocks.flatMap((block) =>
    block.type === 'tool_search_tool_result' && block.content.type === 'tool_search_tool_search_result'
      ? block.content.tool_references
      : [],
  );
  const gone = found.find((reference) => !names.has(reference.tool_name));
  if (gone !== undefined) return `Tool reference '${gone.tool_name}' not found in available tools`;
  return null;
}

const Thinking = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('enabled'),
    budget_tokens: z.number().int().min(1024),
    display: z.enum(['summarized', 'omitted']).nullish(),
  }),
  z.strictObject({ type: z.literal('adaptive'), display: z.enum(['summarized', 'omitted']).nullish() }),
  z.strictObject({ type: z.literal('disabled') }),
  z.strictObject({ type: z.literal('between_tools') }),
]);

const Body = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.number().int().min(1),
  messages: z.array(Message).min(1),
  system: z.union([z.string(), z.array(TextBlock)]).optional(),
  tools: z.array(Tool).optional(),
  tool_choice: z.looseObject({ type: z.enum(['auto', 'any', 'tool', 'none']) }).optional(),
  thinking: Thinking.optional(),
  stream: z.boolean().optional(),
  temperature: z.number().min(0).max(1).optional(),
  stop_sequences: z.array(z.string()).optional(),
  metadata: z.strictObject({ user_id: z.string().nullish() }).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  cache_control: CacheControl,
});
export type RequestBody = z.infer<typeof Body>;

function countBreakpoints(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countBreakpoints(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, item]) => sum + (key === 'cache_control' && item !== null ? 1 : countBreakpoints(item)),
    0,
  );
}

function bodyProblem(body: RequestBody): string | null {
  const names = (body.tools ?? []).map((tool) => tool.name);
  if (new Set(names).size !== names.length) return 'tools: Tool names must be unique.';
  const search = searchProblem(body.tools ?? [], body.messages);
  if (search !== null) return search;
  if (countBreakpoints({ system: body.system, tools: body.tools, messages: body.messages }) > 4) {
    return 'A maximum of 4 blocks with cache_control may be provided.';
  }
  const system = Array.isArray(body.system) ? body.system : [];
  if (system.some((block) => block.text === '')) return 'system: text content blocks must be non-empty';
  if (body.thinking?.type === 'enabled' && body.thinking.budget_tokens >= body.max_tokens) {
    return '`max_tokens` must be greater than `thinking.budget_tokens`.';
  }
  return null;
}

export type Checked =
  | { readonly ok: true; readonly body: RequestBody }
  | { readonly ok: false; readonly message: string };

/**
 * Checks a request's body as the API does.
 * @param issued the text of every thinking block that this server has sent, by its signature
 */
export function checkBody(value: unknown, issued: ReadonlyMap<string, string>): Checked {
  const parsed = Body.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue?.path.map(String).join('.') ?? '';
    const extra = issue?.code === 'unrecognized_keys' ? issue.keys.map((key) => `${place}${place && '.'}${key}`) : [];
    const message =
      extra.length > 0 ? `${extra.join(', ')}: Extra inputs are not permitted` : `${place}: ${issue?.message ?? ''}`;
    return { ok: false, message };
  }
  const problem = bodyProblem(parsed.data) ?? conversationProblem(parsed.data.messages, issued);
  return problem === null ? { ok: true, body: parsed.data } : { ok: false, message: problem };
}
