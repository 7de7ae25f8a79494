import { parseArgumentsExact } from '../json-arguments';
import type { JsonNode } from '../json-exact';
import { ToolError } from '../tool';
import { exposedGlobals } from './commands-of';
import type { CommandDescription, Positional } from './description';
import { flagTokens, type Problems, positionalTokens } from './tokens';

export type BuiltArgv = { readonly ok: true; readonly argv: string[] } | { readonly ok: false; readonly error: string };

/** More than this many problems help nobody, and a model may write any number of unknown keys. */
const MAX_PROBLEMS = 20;

/**
 * A model's arguments as an argument vector, by the command's description: the command path, flags in declared order,
 * exposed global flags, then `--` and the positionals. This is the trust boundary: a value becomes a part of a flag's
 * token or stands behind `--`, so that it can never become a flag. Never throws; an error lists all that is wrong.
 */
export function buildArgv(command: CommandDescription, inputText: string): BuiltArgv {
  let input: Map<string, JsonNode>;
  try {
    input = new Map(parseArgumentsExact(inputText).entries);
  } catch (error) {
    if (error instanceof ToolError) return { ok: false, error: error.message };
    throw error;
  }
  const problems: Problems = [];
  const flags = [...command.flags, ...exposedGlobals(command)];
  reportUnknown(input, [...flags, ...command.args], problems);
  for (const { name, required } of [...flags, ...command.args]) {
    if (required && !input.has(name)) problems.push(`${name} is required and missing`);
  }
  const options = flags.flatMap((flag) => {
    const node = input.get(flag.name);
    return node === undefined ? [] : flagTokens(flag, node, problems);
  });
  const operands = positionals(command.args, input, problems);
  const argv = [...command.path, ...options, ...(operands.length > 0 ? [command.end_of_options, ...operands] : [])];
  if (argv.some((token) => token.includes('\0'))) {
    problems.push('a NUL character (U+0000) cannot be part of a command');
  }
  return problems.length === 0 ? { ok: true, argv } : { ok: false, error: summary(problems) };
}

function reportUnknown(input: ReadonlyMap<string, JsonNode>, known: readonly { name: string }[], problems: Problems) {
  const names = new Set(known.map(({ name }) => name));
  const takes = names.size > 0 ? `it takes ${[...names].join(', ')}` : 'it takes no arguments';
  for (const key of input.keys()) {
    if (!names.has(key)) problems.push(`${JSON.stringify(key.slice(0, 80))} is no argument of this command: ${takes}`);
  }
}

/** Positionals have no names in an argv, so one that is left out before another one has to be filled. */
function positionals(args: readonly Positional[], input: ReadonlyMap<string, JsonNode>, problems: Problems): string[] {
  const given = args.map((arg) => {
    const node = input.get(arg.name);
    return node === undefined ? null : positionalTokens(arg, node, problems);
  });
  const last = given.findLastIndex((tokens) => tokens !== null && tokens.length > 0);
  return args.slice(0, last + 1).flatMap((arg, index) => {
    const tokens = given[index];
    if (tokens != null) return tokens;
    if (arg.default.length > 0) return arg.cumulative ? arg.default : arg.default.slice(0, 1);
    if (!arg.required) problems.push(`${arg.name} is missing: a later argument is given and it has no default`);
    return [];
  });
}

function summary(problems: readonly string[]): string {
  const shown = problems.slice(0, MAX_PROBLEMS).join('; ');
  const more = problems.length - MAX_PROBLEMS;
  return `The arguments do not fit: ${shown}${more > 0 ? `; and ${more} more problems` : ''}.`;
}
