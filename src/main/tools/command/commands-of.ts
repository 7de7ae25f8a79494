import { CommandDescription, type CommandNode, type Flag } from './description';

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
  const globals = application.flags.filter((flag) => !flag.hidden && (flag.required || wanted.has(flag.name)));
  return application.commands.flatMap((node) => under(node, [], globals));
}

function under(node: CommandNode, parents: readonly string[], globals: readonly Flag[]): DescribedCommand[] {
  if (node.hidden) return [];
  const path = [...parents, node.name];
  if (node.commands.length > 0) return node.commands.flatMap((child) => under(child, path, globals));
  const described = CommandDescription.safeParse({
    path,
    help: node.help_long || node.help,
    tags: node.tags,
    flags: node.flags.filter((flag) => !flag.hidden),
    args: node.args.filter((arg) => !arg.hidden || arg.required),
    globals,
  });
  if (described.success) return [{ ok: true, command: described.data }];
  return [{ ok: false, path, error: described.error.issues.map((issue) => issue.message).join('; ') }];
}

/** The application's flags that a command exposes: those whose name it does not use itself. */
export function exposedGlobals({ flags, args, globals }: CommandDescription): Flag[] {
  const own = new Set([...flags, ...args].map(({ name }) => name));
  return globals.filter(({ name }) => !own.has(name));
}
