import { z } from 'zod';
import { nearest } from './nearest';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'keys and values',
  record: 'keys and values',
};

function found(input: unknown): string {
  if (input === null) return 'nothing is there';
  if (Array.isArray(input)) return 'this is a list';
  if (typeof input === 'object') return 'these are keys and values';
  const text = typeof input === 'string' ? JSON.stringify(input) : String(input);
  return `this is ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`;
}

const listOf = (values: readonly unknown[]): string => values.map(String).join(', ');

/** Words for what zod finds, for somebody who writes such a file for the first time. A schema's own words come first. */
export const explain: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is missing';
      return `expected ${KINDS[issue.expected] ?? issue.expected}, but ${found(issue.input)}`;
    case 'invalid_value':
      return `expected one of ${listOf(issue.values)}, but ${found(issue.input)}`;
    case 'too_big':
      return issue.origin === 'string' || issue.origin === 'array'
        ? `too long: at most ${issue.maximum}`
        : `too large: at most ${issue.maximum}`;
    case 'too_small':
      if (issue.origin === 'string' || issue.origin === 'array') return 'must not be empty';
      return `too small: ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
    default:
      return undefined;
  }
};

function dotted(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

/** The keys that a schema knows at a place; none where that is not an object with fixed keys. */
function knownKeys(schema: z.core.$ZodType, path: Path): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return knownKeys(schema.unwrap(), path);
  }
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodLazy) return knownKeys(schema.unwrap(), path);
  if (schema instanceof z.ZodPipe) return knownKeys(schema.in, path);
  const [head, ...rest] = path;
  if (schema instanceof z.ZodObject) {
    const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
    if (head === undefined) return Object.keys(shape);
    const inner = shape[String(head)];
    return inner === undefined ? [] : knownKeys(inner, rest);
  }
  if (head === undefined) return [];
  if (schema instanceof z.ZodArray) return knownKeys(schema.element, rest);
  if (schema instanceof z.ZodRecord) return knownKeys(schema.valueType, rest);
  return [];
}

/** One thing that is wrong: its words, and the place that is to be shown, a key or its value. */
export interface Finding {
  readonly message: string;
  readonly path: Path;
  readonly at: 'key' | 'value';
}

/** What one issue of zod says about the file. */
export function findingsOf(issue: Issue, schema: z.core.$ZodType): readonly Finding[] {
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(schema, issue.path);
    return issue.keys.map((key) => {
      const meant = nearest(key, known);
      const advice = meant === null ? '' : `: did you mean "${meant}"?`;
      return {
        message: `unknown key "${dotted([...issue.path, key])}"${advice}`,
        path: [...issue.path, key],
        at: 'key',
      };
    });
  }
  if (issue.code === 'invalid_key') {
    const words = issue.issues.map((inner) => inner.message).join('; ');
    return [{ message: `${dotted(issue.path)}: ${words}`, path: issue.path, at: 'key' }];
  }
  const name = dotted(issue.path);
  const message =
    issue.message === 'is missing' ? `"${name}" is missing` : `${name}${name === '' ? '' : ': '}${issue.message}`;
  return [{ message, path: issue.path, at: 'value' }];
}
