import { type JsonNode, parseJsonExact, toPlain } from './json-exact';
import { ToolError } from './tool';

export type JsonObjectNode = Extract<JsonNode, { type: 'object' }>;

/**
 * A call's arguments with numbers as they were spelled. Empty text and `null` are `{}` (semantics: a command is an
 * argument vector).
 * @throws ToolError for anything else that is not one strict JSON object.
 */
export function parseArgumentsExact(inputText: string): JsonObjectNode {
  if (/^[ \t\r\n]*$/.test(inputText)) return { type: 'object', entries: [] };
  const node = parseJsonExact(inputText);
  if (node.type === 'null') return { type: 'object', entries: [] };
  if (node.type !== 'object')
    throw new ToolError(`The arguments must be a JSON object, not ${withArticle(node.type)}.`);
  return node;
}

/**
 * A call's arguments as a plain object.
 * @throws ToolError as `parseArgumentsExact` does, and for a number that no double can hold.
 */
export function parseArguments(inputText: string): Record<string, unknown> {
  return toPlain(parseArgumentsExact(inputText)) as Record<string, unknown>;
}

/** @throws ToolError where the text holds a NUL, which no path and no argument of a process can. */
export function refuseNul(name: string, text: string): void {
  if (text.includes('\0')) throw new ToolError(`${name} holds a NUL character (U+0000), which no command or path can.`);
}

const withArticle = (type: string): string => (type === 'array' ? 'an array' : `a ${type}`);
