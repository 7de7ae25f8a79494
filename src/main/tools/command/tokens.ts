import type { JsonNode } from '../json-exact';
import { compilePattern, type Flag, MAX_PATTERN_VALUE, type Positional } from './description';

/** What is wrong with the arguments, in words for the model. */
export type Problems = string[];

/** The tokens of one flag, each complete in itself: `--name`, `--no-name` or `--name=value`. */
export function flagTokens(flag: Flag, node: JsonNode, problems: Problems): string[] {
  if (flag.map) return mapTokens(flag, node, problems);
  const tokenOf = flag.boolean ? switchToken : valueToken;
  return elements(flag, node, problems).flatMap((element) => tokenOf(flag, element, problems));
}

/** The tokens of one positional: its values, which have to stand behind `--`. */
export function positionalTokens(arg: Positional, node: JsonNode, problems: Problems): string[] {
  return elements(arg, node, problems).flatMap((element) => {
    if (!arg.boolean) return texts(arg, element, problems);
    if (element.type === 'boolean') return [String(element.value)];
    problems.push(`${arg.name} must be a boolean`);
    return [];
  });
}

/** A list's elements where the argument repeats; a value alone is a list of one. */
function elements(argument: Flag | Positional, node: JsonNode, problems: Problems): readonly JsonNode[] {
  if (node.type === 'array' && argument.cumulative) return node.items;
  if (node.type !== 'array' && node.type !== 'object') return [node];
  const wanted = argument.boolean ? 'must be a boolean' : 'takes one value';
  const repeats = argument.cumulative ? 'takes a value or a list of values' : wanted;
  problems.push(`${argument.name} ${repeats}, not ${article(node)}`);
  return [];
}

function switchToken(flag: Flag, node: JsonNode, problems: Problems): string[] {
  if (node.type !== 'boolean') {
    problems.push(`${flag.name} must be a boolean, not ${article(node)}`);
    return [];
  }
  if (node.value) return [`--${flag.name}`];
  if (flag.negatable) return [`--no-${flag.name}`];
  // Leaving it out would turn it on.
  if (flag.default.includes('true')) problems.push(`${flag.name} is on by default and cannot be turned off`);
  return [];
}

function valueToken(flag: Flag, node: JsonNode, problems: Problems): string[] {
  return texts(flag, node, problems).map((text) => `--${flag.name}=${text}`);
}

function mapTokens(flag: Flag, node: JsonNode, problems: Problems): string[] {
  if (node.type !== 'object') {
    problems.push(`${flag.name} must be an object, not ${article(node)}`);
    return [];
  }
  const sorted = [...node.entries].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.flatMap(([key, value]) => {
    // The program splits at the first equals sign, so such a key would end up in the value.
    if (key === '' || key.includes('=')) {
      problems.push(
        `${flag.name} has the key ${JSON.stringify(key.slice(0, 80))}: a key must not be empty or hold "="`,
      );
      return [];
    }
    return texts(flag, value, problems).map((text) => `--${flag.name}=${key}=${text}`);
  });
}

/** A value as text: strings as they are, numbers with their very digits, null as nothing. One text, or a problem. */
function texts(argument: Flag | Positional, node: JsonNode, problems: Problems): string[] {
  const text = textOf(node);
  const { name, enum: values, pattern } = argument;
  if (text === null) problems.push(`${name} must be a string or a number, not ${article(node)}`);
  else if (values.length > 0 && !values.includes(text)) problems.push(`${name} must be one of: ${values.join(', ')}`);
  else if (pattern !== undefined && text.length > MAX_PATTERN_VALUE)
    problems.push(`${name} must match ${pattern}, and is longer than ${MAX_PATTERN_VALUE} characters`);
  else if (pattern !== undefined && !compilePattern(pattern).test(text)) problems.push(`${name} must match ${pattern}`);
  else return [text];
  return [];
}

function textOf(node: JsonNode): string | null {
  switch (node.type) {
    case 'string':
      return node.value;
    case 'number':
      return node.text;
    case 'null':
      return '';
    case 'boolean':
    case 'array':
    case 'object':
      return null;
  }
}

function article(node: JsonNode): string {
  if (node.type === 'null') return 'null';
  return node.type === 'array' || node.type === 'object' ? `an ${node.type}` : `a ${node.type}`;
}
