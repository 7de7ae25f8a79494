import { createHash } from 'node:crypto';
import { type Tool as McpTool, ToolSchema } from '@modelcontextprotocol/sdk/types.js';
import { canonicalJson } from '../../approvals/digest';
import { type InputSchema, readInputSchema, SchemaError } from './input-schema';
import type { ServerDefinition } from './server';
import { serverText } from './server-text';

/** More tools of one server than any model can use well; the rest is left out, and the operator is told. */
export const MAX_TOOLS = 128;
/** In characters. The model pays for each of them in every turn. */
const MAX_DESCRIPTION = 4_000;
/** What providers take for the name of a tool. */
const MAX_NAME = 64;
/** In characters, of a server's own name for a tool. */
const MAX_OWN_NAME = 256;

/** A tool as the server lists it now, told from what it was before by its hash. */
export interface ListedTool {
  /** The server's own name for it. */
  readonly name: string;
  /** SHA-256, hex, of all that the server says of it: a tool with another hash is another tool. */
  readonly hash: string;
  readonly definition: unknown;
}

/** A tool that a run may use, as it was when the run began. */
export interface OfferedTool {
  readonly name: string;
  readonly exposed: string;
  readonly description: string;
  readonly schema: InputSchema;
  readonly dangerous: boolean;
  readonly hash: string;
}

export interface Offer {
  readonly tools: readonly OfferedTool[];
  /** In words, which tools were left out and why. */
  readonly problems: readonly string[];
}

/** The tools of a list by name; an item that cannot be read is none. Of two with one name both are `twice`. */
export function listTools(items: readonly unknown[]): { tools: Map<string, ListedTool>; twice: Set<string> } {
  const tools = new Map<string, ListedTool>();
  const twice = new Set<string>();
  for (const definition of items) {
    const name = nameOf(definition);
    const hash = name === null ? null : hashOf(definition);
    if (name === null || hash === null) continue;
    if (tools.has(name)) twice.add(name);
    tools.set(name, { name, definition, hash });
  }
  for (const name of twice) tools.delete(name);
  return { tools, twice };
}

/** Which of the listed tools a run is offered, by the names that a model calls them. */
export function offerTools(server: ServerDefinition, listed: Iterable<ListedTool>): Offer {
  const all = [...listed];
  const problems: string[] = [];
  const tools = all.slice(0, MAX_TOOLS).flatMap((tool) => {
    const offered = offerTool(server, tool);
    if (typeof offered !== 'string') return [offered];
    problems.push(`The tool ${serverText(tool.name, 100)} is left out: ${offered}.`);
    return [];
  });
  if (all.length > MAX_TOOLS) problems.push(`Only the first ${MAX_TOOLS} of ${all.length} tools are used.`);
  return { tools, problems };
}

/** The name that the model uses: the server's name and the tool's, in the characters that providers take. */
export function exposedName(server: string, tool: string): string {
  return `${server}_${tool}`.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_NAME);
}

function offerTool(server: ServerDefinition, { name, definition, hash }: ListedTool): OfferedTool | string {
  const parsed = ToolSchema.safeParse(definition);
  if (!parsed.success) return 'its definition is not as MCP prescribes';
  const { description, title, annotations, inputSchema } = parsed.data;
  try {
    return {
      name,
      exposed: exposedName(server.name, name),
      description:
        `From the MCP server ${server.name}. ${serverText(description ?? title ?? '', MAX_DESCRIPTION)}`.trim(),
      schema: readInputSchema(inputSchema),
      dangerous: !isTrustedToOnlyRead(server, annotations),
      hash,
    };
  } catch (error) {
    if (error instanceof SchemaError) return error.message;
    throw error;
  }
}

/** An annotation is the server's own word: it frees a tool from the gate only where the agent file says that it counts. */
function isTrustedToOnlyRead(server: ServerDefinition, annotations: McpTool['annotations']): boolean {
  return server.trustReadOnly && annotations?.readOnlyHint === true;
}

function nameOf(definition: unknown): string | null {
  if (typeof definition !== 'object' || definition === null || !('name' in definition)) return null;
  const { name } = definition;
  return typeof name === 'string' && name !== '' && name.length <= MAX_OWN_NAME ? name : null;
}

/** Null where the definition is nested deeper than the stack: it cannot be told from another one. */
function hashOf(definition: unknown): string | null {
  try {
    return createHash('sha256').update(canonicalJson(definition)).digest('hex');
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
