import type { CallPreview } from '@shared/requests';
import { parseArgumentsExact } from '../json-arguments';
import { type JsonNode, toPlain } from '../json-exact';
import { ToolError } from '../tool';

/** The arguments of a call as they are sent: what the operator reads is made of the same values. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/**
 * @throws ToolError when they are no JSON object, or hold a number that would arrive as another one: what is shown is
 * what is sent.
 */
export function readArguments(inputText: string): ToolArguments {
  const node = parseArgumentsExact(inputText);
  refuseInexact(node);
  return toPlain(node) as ToolArguments;
}

function refuseInexact(node: JsonNode): void {
  if (node.type === 'array') node.items.forEach(refuseInexact);
  if (node.type === 'object') for (const [, value] of node.entries) refuseInexact(value);
  if (node.type !== 'number' || !/^-?\d+$/.test(node.text)) return;
  if (Number.isFinite(Number(node.text)) && BigInt(Number(node.text)) === BigInt(node.text)) return;
  throw new ToolError(`The number ${node.text.slice(0, 40)} cannot be sent without changing it.`);
}

/** The rows that the operator reads: the server and the tool first, then every argument, nothing left out. */
export function argumentRows(
  server: string,
  tool: string,
  input: ToolArguments,
): Extract<CallPreview, { kind: 'arguments' }> {
  const rows = Object.entries(input).map(([name, value]) => ({ name: rowName(name), value: rowValue(value) }));
  return {
    kind: 'arguments',
    rows: [{ name: 'MCP server', value: server }, { name: 'MCP tool', value: tool }, ...rows],
  };
}

/** A name that could be taken for one of our own, or is none at all, is quoted. */
const rowName = (name: string): string => (/^[\w.-]+$/.test(name) ? name : JSON.stringify(name));

const rowValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
