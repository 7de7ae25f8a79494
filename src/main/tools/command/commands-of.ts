import { CommandDescription, type CommandNode, type Flag } from './description';

/** What the framework itself adds to every application. They print something in place of doing it: never a tool's. */
const FRAMEWORK_FLAGS: ReadonlySet<string> = new Set([
  ...['help', 'help-long', 'help-man', 'help-llm', 'help-compact', 'version', 'fisk-introspect'],
  ...['completion', 'completion-bash', 'completion-script-bash', 'completion-script-zsh', 'completion-script-fish'],
]);

export const isFrameworkFlag = (name: string): boolean => FRAMEWORK_FLAGS.has(name) || name.startsWith('completion-');

interface Application {
  readonly flags: readonly Flag[];
  readonly commands: readonly CommandNode[];
}

/** A command that can be a tool, or why it cannot. */
export type DescribedCommand =
  | { readonly ok: true; readonly command: CommandDescription }
  | { readonly ok: false; readonly path: readonly string[]; readonly error: string };

/**
 * Every command of an application that does something, in its own order: no groups, nothing hidden. Of the
 * application's own flags a command exposes the required ones and those that the agent file names.
 */
export function commandsOf(application: Application, globalFlags: readonly string[]): DescribedCommand[] {
  const wanted = new Set(globalFlags);
  const globals = application.flags.filter(
    (flag) => (flag.required || wanted.has(flag.name)) && !flag.hidden && !isFrameworkFlag(flag.name),
  );
  return application.commands.flatMap((node) => under(node, { path: [], tags: [] }, globals));
}

interface Group {
  readonly path: readonly string[];
  /** Those of its tags that hold for all that is in it. */
  readonly tags: readonly string[];
}

/** What restricts a group restricts every command in it; what describes one is said of the group alone. */
const RESTRICTING: readonly string[] = ['ai:deny', 'ai:confirm'];

function under(node: CommandNode, group: Group, globals: readonly Flag[]): DescribedCommand[] {
  if (node.hidden) return [];
  const path = [...group.path, node.name];
  if (node.commands.length > 0) {
    const tags = [...group.tags, ...node.tags.filter((tag) => RESTRICTING.includes(tag))];
    return node.commands.flatMap((child) => under(child, { path, tags }, globals));
  }
  const described = CommandDescription.safeParse({
    path,
    help: helpOf(node),
    tags: [...new Set([...node.tags, ...group.tags])],
    flags: node.flags.filter((flag) => !flag.hidden),
    args: node.args.filter((arg) => !arg.hidden || arg.required),
    globals,
    end_of_options: node.end_of_options,
  });
  if (described.success) return [{ ok: true, command: described.data }];
  return [{ ok: false, path, error: described.error.issues.map((issue) => issue.message).join('; ') }];
}

/** The short help, then the long one, which often begins by saying the same. */
function helpOf({ help, help_long: long }: CommandNode): string {
  const [short, more] = [help.trim(), long.trim()];
  if (short === '' || more.startsWith(short.replace(/\.$/, ''))) return more || short;
  return more === '' ? short : `${short}\n\n${more}`;
}

/** The application's flags that a command exposes: those whose name it does not use itself. */
export function exposedGlobals({ flags, args, globals }: CommandDescription): Flag[] {
  const own = new Set([...flags, ...args].map(({ name }) => name));
  return globals.filter(({ name }) => !own.has(name));
}
