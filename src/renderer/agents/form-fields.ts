import type { ToolInfo } from '@shared/agent-details';

/** How one argument is asked for. */
export interface Field {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'choice' | 'list' | 'map' | 'json';
  readonly help: string;
  readonly required: boolean;
  /** For `choice`. */
  readonly options: readonly string[];
}

type Json = ToolInfo['inputSchema'][string];
type JsonObject = Readonly<Record<string, Json>>;

const isObject = (value: Json | undefined): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The arguments of a tool, in the order of its schema. */
export function fieldsOf(schema: ToolInfo['inputSchema']): Field[] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).map(([name, property]) => {
    const shape = isObject(property) ? property : {};
    const { description, enum: options } = shape;
    return {
      name,
      kind: kindOf(shape),
      help: typeof description === 'string' ? description : '',
      required: required.includes(name),
      options: Array.isArray(options) ? options.map(String) : [],
    };
  });
}

function kindOf(shape: JsonObject): Field['kind'] {
  const { type } = shape;
  if (Array.isArray(shape.enum) && shape.enum.every((value) => typeof value === 'string')) return 'choice';
  if (type === 'boolean') return 'boolean';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'string' || (Array.isArray(type) && type.includes('string'))) return 'text';
  if (type === 'array' && isObject(shape.items) && isText(shape.items)) return 'list';
  if (type === 'object' && isObject(shape.additionalProperties) && isText(shape.additionalProperties)) return 'map';
  return 'json';
}

const isText = ({ type }: JsonObject): boolean =>
  type === 'string' || (Array.isArray(type) && type.includes('string')) || type === undefined;

/**
 * The arguments as the JSON that a model would write: only what was filled in. Numbers and JSON go as they were typed,
 * so what is wrong with them is said by whoever reads them.
 */
export function argumentsText(fields: readonly Field[], values: Readonly<Record<string, string>>): string {
  const entries = fields.flatMap((field) => {
    const value = values[field.name] ?? '';
    return value === '' ? [] : [`${JSON.stringify(field.name)}:${valueText(field, value)}`];
  });
  return `{${entries.join(',')}}`;
}

function valueText({ kind }: Field, value: string): string {
  switch (kind) {
    case 'text':
    case 'choice':
      return JSON.stringify(value);
    case 'boolean':
    case 'number':
    case 'json':
      return value;
    case 'list':
      return JSON.stringify(lines(value));
    case 'map':
      return JSON.stringify(Object.fromEntries(lines(value).map(pair)));
  }
}

const lines = (value: string): string[] => value.split('\n').filter((line) => line !== '');

function pair(line: string): [string, string] {
  const at = line.indexOf('=');
  return at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
}
