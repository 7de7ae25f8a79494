import type { FileProblem } from '@shared/agent-file';
import { commandsOf } from '../tools/command/commands-of';
import { type CommandNode, Introspection, Manifest } from '../tools/command/description';
import { parseJsonExact, toPlain } from '../tools/json-exact';
import { ToolError } from '../tools/tool';
import { explain, findingsOf } from './problem-words';
import { readYaml } from './read-yaml';
import type { YamlSource } from './yaml-source';

export type Described<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly FileProblem[] };

/** What the Messages API takes for the name of a tool. */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
/** Finding the places in a longer document would take seconds; its problems then come with their keys alone. */
const MAX_PLACED = 1024 * 1024;
/** More help nobody. */
const MAX_PROBLEMS = 10;

/** Reads a program's description that somebody wrote, in YAML or JSON. */
export function readManifest(text: string): Described<Manifest> {
  const read = readYaml(text, Manifest);
  if (!read.ok) return read;
  return checked(read.value, read.source);
}

/** Reads what an application printed about itself: strict JSON, with keys that we need not know. */
export function readIntrospection(text: string): Described<Introspection> {
  let plain: unknown;
  try {
    plain = toPlain(parseJsonExact(text));
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { ok: false, problems: [jsonProblem(text, error.message)] };
  }
  const read = Introspection.safeParse(plain, { error: explain });
  const placed = text.length <= MAX_PLACED;
  if (read.success) {
    const whole = checked(read.data, null);
    if (whole.ok || !placed) return whole;
    const again = readYaml(text, Introspection);
    return again.ok ? checked(again.value, again.source) : whole;
  }
  if (placed) {
    const again = readYaml(text, Introspection);
    if (!again.ok) return again;
  }
  const problems = read.error.issues
    .flatMap((issue) => findingsOf(issue, Introspection))
    .map(({ message }) => ({ message, line: null, column: null }));
  return { ok: false, problems: problems.slice(0, MAX_PROBLEMS) };
}

/** What the shape alone does not say: there is something to call, and all of it can be called. */
function checked<T extends Manifest | Introspection>(value: T, source: YamlSource | null): Described<T> {
  const place = (path: readonly (string | number)[]) => source?.placeOf(path) ?? { line: null, column: null };
  const described = commandsOf(value, []);
  if (described.length === 0) {
    const what = value.commands.length === 0 ? 'it has no commands' : 'it has no command that is not hidden';
    return { ok: false, problems: [{ message: `${what}: there would be no tool`, ...place(['commands']) }] };
  }
  const problems = described.flatMap((one): FileProblem[] => {
    const path = one.ok ? one.command.path : one.path;
    const at = place(pathTo(value.commands, path));
    const words = `command "${path.join(' ')}"`;
    if (!one.ok) return [{ message: `${words}: ${one.error}`, ...at }];
    const name = path.join('_');
    if (TOOL_NAME.test(name)) return [];
    const why = name.length > 128 ? 'longer than 128 characters' : 'made of other than letters, digits, "_" and "-"';
    return [{ message: `${words}: "${name}" cannot be the name of a tool: it is ${why}`, ...at }];
  });
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems: problems.slice(0, MAX_PROBLEMS) };
}

/** Where a command stands in its document. */
function pathTo(commands: readonly CommandNode[], path: readonly string[]): (string | number)[] {
  const [first, ...rest] = path;
  const index = commands.findIndex(({ name }) => name === first);
  if (index === -1) return [];
  return ['commands', index, ...pathTo(commands[index]?.commands ?? [], rest)];
}

function jsonProblem(text: string, message: string): FileProblem {
  if (text.trim() === '') return { message: 'it printed nothing', line: null, column: null };
  const found = /^Not valid JSON at character (\d+): (.*)$/s.exec(message);
  if (found === null) return { message, line: null, column: null };
  const before = text.slice(0, Number(found[1]) - 1).split('\n');
  const line = before.length;
  return { message: `not valid JSON: ${found[2] ?? ''}`, line, column: (before.at(-1)?.length ?? 0) + 1 };
}
