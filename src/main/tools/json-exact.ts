import { MAX_JSON_DEPTH } from '@shared/json';
import { type JsonNode, JsonReader } from './json-reader';
import { ToolError } from './tool';

export { type JsonNode, MAX_JSON_DEPTH };

/** In UTF-16 units. A whole reply of a model at its largest is a few million; more is not an argument list. */
export const MAX_JSON_LENGTH = 16 * 1024 * 1024;

/**
 * Reads one JSON value strictly (RFC 8259): nothing after it, no key twice in one object, no half of a surrogate pair,
 * at most MAX_JSON_DEPTH levels and MAX_JSON_LENGTH UTF-16 units. Numbers keep their spelling.
 * @throws ToolError that says what is wrong and at which character, counted from 1.
 */
export function parseJsonExact(text: string): JsonNode {
  if (text.length > MAX_JSON_LENGTH) {
    throw new ToolError(`The JSON is too long: ${text.length} characters, at most ${MAX_JSON_LENGTH}.`);
  }
  return new JsonReader(text).document();
}

/**
 * The node as plain JavaScript. Numbers become doubles, so digits beyond 2^53 are lost: use the node where they count.
 * A key named `__proto__` becomes an ordinary own property.
 * @throws ToolError for a number that no double can hold, such as 1e999.
 */
export function toPlain(node: JsonNode): unknown {
  switch (node.type) {
    case 'null':
      return null;
    case 'string':
    case 'boolean':
      return node.value;
    case 'number': {
      const value = Number(node.text);
      if (!Number.isFinite(value)) throw new ToolError(`The number ${node.text.slice(0, 40)} is too large.`);
      return value;
    }
    case 'array':
      return node.items.map(toPlain);
    case 'object': {
      const plain: Record<string, unknown> = {};
      for (const [key, value] of node.entries) {
        Object.defineProperty(plain, key, {
          value: toPlain(value),
          enumerable: true,
          writable: true,
          configurable: true,
        });
      }
      return plain;
    }
  }
}
