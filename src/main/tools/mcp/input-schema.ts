import { Ajv2020, type AnySchema, type ErrorObject } from 'ajv/dist/2020.js';
import { boundedRun } from './bounded-run';
import { wordsOf } from './server';
import { serverText } from './server-text';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** In bytes of JSON. The model pays for each of them in every turn. */
const MAX_SCHEMA_BYTES = 64 * 1024;
const MAX_SCHEMA_DEPTH = 32;
/** In characters, of one title or description. */
const MAX_TEXT = 1_000;
/** How long reading a schema, or checking arguments by it, may hold up the app, in milliseconds. */
const COMPILE_MS = 1_000;
const CHECK_MS = 200;
/** How many of the things that are wrong a model is told of at once. */
const MAX_PROBLEMS = 10;
/** In characters: what the server wrote may stand in what is told of a problem. */
const MAX_PROBLEM = 300;
/** What providers take for the name of an argument: another name would fail every request of the run. */
const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Keywords by which a schema reaches beyond itself, or gives its parts another base. */
const REACHING = ['$id', '$dynamicRef', '$recursiveRef', '$anchor', '$dynamicAnchor', '$vocabulary'];
const PROSE = new Set(['title', 'description', '$comment']);
/** What providers refuse at the top of a schema; arguments are checked by it nonetheless. */
const NOT_AT_TOP = new Set(['oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else', 'dependentSchemas']);

/** A schema of a server that was found fit for use. */
export interface InputSchema {
  /** For the model: prose made safe, nothing that reaches beyond the schema. */
  readonly shown: JsonSchema;
  /** What is wrong with arguments, in words for the model; null where nothing is. */
  check(input: unknown): string | null;
}

/** Why a schema is not fit for use. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

const meta = new Ajv2020({ strict: false, validateFormats: false, logger: false });

/**
 * Reads a JSON Schema (2020-12, whatever it says itself: it is what providers read) that a stranger wrote.
 * @throws SchemaError when it is too large, reaches beyond itself, or is none
 */
export function readInputSchema(given: unknown): InputSchema {
  const schema = readJson(given);
  refuseNames(schema);
  const validate = compile(schema);
  let hangs = false;
  return {
    shown: Object.fromEntries(Object.entries(schema).filter(([key]) => !NOT_AT_TOP.has(key))),
    check(input) {
      if (hangs) return 'the schema of this tool takes too long to check';
      const checked = boundedRun(CHECK_MS, () => (validate(input) ? [] : (validate.errors ?? [])));
      // Once is enough: nobody waits for it a second time.
      hangs = checked === null;
      if (checked === null) return 'checking them by the schema of this tool took too long';
      return checked.value.length === 0 ? null : inWords(checked.value);
    },
  };
}

function readJson(given: unknown): JsonSchema {
  const text = JSON.stringify(given) ?? '';
  if (Buffer.byteLength(text) > MAX_SCHEMA_BYTES) throw new SchemaError(`its schema is over ${MAX_SCHEMA_BYTES} bytes`);
  const { $schema: _, $id: __, ...rest } = toRecord(given);
  const schema = toRecord(clean(rest, 0));
  if (schema.type !== 'object') throw new SchemaError('its schema does not describe an object');
  return schema;
}

/** A copy with safe prose. @throws SchemaError where it reaches beyond itself or is nested too deeply */
function clean(value: unknown, depth: number): unknown {
  if (depth > MAX_SCHEMA_DEPTH) throw new SchemaError(`its schema is more than ${MAX_SCHEMA_DEPTH} levels deep`);
  if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') throw new SchemaError('its schema names a property __proto__');
    if (key === '$ref' && typeof item === 'string' && !/^#(\/|$)/.test(item)) {
      throw new SchemaError(`its schema refers to ${serverText(item, 100)}, outside of itself`);
    }
    if (REACHING.includes(key) && typeof item === 'string') throw new SchemaError(`its schema uses ${key}`);
    copy[key] = PROSE.has(key) && typeof item === 'string' ? serverText(item, MAX_TEXT) : clean(item, depth + 1);
  }
  return copy;
}

function refuseNames(schema: JsonSchema): void {
  const wrong = Object.keys(toRecord(schema.properties ?? {})).find((name) => !PROPERTY_NAME.test(name));
  if (wrong !== undefined) {
    throw new SchemaError(`its argument ${serverText(JSON.stringify(wrong), 100)} has a name that no model can use`);
  }
}

function compile(schema: JsonSchema) {
  const compiled = boundedRun(COMPILE_MS, () => {
    if (meta.validateSchema(schema as AnySchema) !== true) {
      throw new SchemaError(`its schema is no JSON Schema: ${inWords(meta.errors ?? [])}`);
    }
    const ajv = new Ajv2020({
      strict: false,
      validateSchema: false,
      meta: false,
      validateFormats: false,
      allErrors: true,
      unicodeRegExp: false,
      logger: false,
    });
    try {
      return ajv.compile(schema);
    } catch (error) {
      throw new SchemaError(`its schema cannot be used: ${serverText(wordsOf(error), MAX_PROBLEM)}`);
    }
  });
  if (compiled === null) throw new SchemaError('its schema takes too long to read');
  return compiled.value;
}

function inWords(errors: readonly ErrorObject[]): string {
  const words = errors.slice(0, MAX_PROBLEMS).map(problemInWords);
  const more = errors.length - words.length;
  return [...new Set(words), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function problemInWords({ instancePath, message, keyword, params }: ErrorObject): string {
  const place = instancePath === '' ? '' : `${instancePath.slice(1).replaceAll('/', '.')}: `;
  const words = (text: string): string => serverText(text, MAX_PROBLEM);
  if (keyword === 'required') return words(`${place}${params.missingProperty} is missing`);
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    return words(`${place}${JSON.stringify(params.additionalProperty ?? params.unevaluatedProperty)} is not known`);
  }
  if (keyword === 'enum') return words(`${place}must be one of ${JSON.stringify(params.allowedValues)}`);
  return words(`${place}${message ?? 'is wrong'}`);
}

function toRecord(value: unknown): JsonSchema {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonSchema;
  throw new SchemaError('its schema is no JSON object');
}
