import { z } from 'zod';

/** Deeper than any tool's arguments, and far from the end of the stack of any thread. */
export const MAX_JSON_DEPTH = 64;

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Whether a value is JSON, and not nested deeper than so many levels. It looks no deeper than that itself. */
export function isJson(value: unknown, levels: number = MAX_JSON_DEPTH): value is JsonValue {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true;
  if (typeof value !== 'object' || levels === 0) return false;
  const inside: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return inside.every((item) => isJson(item, levels - 1));
}

/** Any JSON of at most MAX_JSON_DEPTH levels. What zod itself has for this goes as deep as the value, and overflows. */
export const Json = z.custom<JsonValue>((value) => isJson(value), `no JSON, or deeper than ${MAX_JSON_DEPTH} levels`);

/** An object of JSON. */
export const JsonObject = z.record(z.string(), Json);
