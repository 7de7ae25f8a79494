import { explainUnresolved, resolveProgram } from '../../sandbox/program';
import { commandCall } from '../computer/command-call';
import { inFileLane } from '../file-lane';
import { type ActionTool, ToolError } from '../tool';
import { buildArgv } from './build-argv';
import type { CommandDescription } from './description';
import { inputSchema } from './input-schema';
import { isDangerous } from './tags';

/** The program that a set of commands belongs to. */
export interface Program {
  /** How it is called: a name on the PATH of the command, or an absolute path. The child sees it as argv[0]. */
  readonly name: string;
  /** What that was when the agent was resolved, absolute. */
  readonly resolved: string;
}

export const toolName = (path: readonly string[]): string => path.join('_');

/** One command of a program as a tool. What runs is the program itself, with no shell between. */
export function commandTool(command: CommandDescription, program: Program): ActionTool {
  const { path, help, tags } = command;
  return {
    kind: 'action',
    source: 'command',
    name: toolName(path),
    description: [help.trim(), ...(tags.length > 0 ? [`Tags: ${tags.join(', ')}`] : [])].filter(Boolean).join('\n\n'),
    inputSchema: inputSchema(command),
    tags,
    dangerous: isDangerous(tags),
    keptBy: 'sandbox',
    prepare: async (inputText, context) => {
      const built = buildArgv(command, inputText);
      if (!built.ok) throw new ToolError(built.error);
      const search = { cwd: context.workspace, environment: context.environment };
      const resolved = await resolveProgram(program.name, search);
      if (resolved === null) throw new ToolError(await explainUnresolved(program.name, search));
      // Another program of that name has come before it since: not the one that the tools were made of.
      if (resolved !== program.resolved) {
        throw new ToolError(
          `${program.name} is now ${resolved} and was ${program.resolved} when this run began, so it is not started.`,
        );
      }
      const call = await inFileLane(() =>
        commandCall(
          {
            argv: [program.name, ...built.argv],
            cwd: context.workspace,
            program: resolved,
            timeoutSec: undefined,
            shell: false,
            names: built.argv,
          },
          context,
        ),
      );
      // A grant covers the tool, which is one command of the program; never all that the program can do.
      return { ...call, program: null };
    },
  };
}
