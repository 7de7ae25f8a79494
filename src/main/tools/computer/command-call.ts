import type { ProcessSpec } from '../../sandbox/process';
import { processOutput } from '../process-output';
import { type PreparedCall, type ToolContext, ToolError } from '../tool';
import { boundFiles } from './bound-files';
import { fileRules } from './file-rules';
import { resolvePath } from './resolve-path';

export interface CommandCall {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly program: string;
  readonly timeoutSec: number | undefined;
  readonly shell: boolean;
  /** Words of the command that may name a file which the decision is to be bound to. */
  readonly names: readonly string[];
}

/** The folder that a command starts in. @throws ToolError unless it is a folder of the workspace. */
export async function commandFolder(context: ToolContext, given: string | undefined): Promise<string> {
  const folder = await resolvePath(await fileRules(context), given ?? '.', 'start', 'follow');
  if (folder.stats?.isDirectory() !== true) throw new ToolError(`cwd: there is no folder ${folder.shown}.`);
  return folder.absolute;
}

/** A call that starts one process, shown token by token and bound to the files of the workspace that it names. */
export async function commandCall(call: CommandCall, context: ToolContext): Promise<PreparedCall> {
  const { argv, cwd, program, shell } = call;
  const { workspace, environment, sandbox } = context;
  const wanted = call.timeoutSec === undefined ? context.toolTimeoutMs : Math.ceil(call.timeoutSec * 1_000);
  const timeoutMs = Math.min(wanted, context.toolTimeoutMs);
  const spec: ProcessSpec = { argv, cwd, environment, timeoutMs, workspace };
  return {
    preview: {
      kind: 'command',
      argv: [...argv],
      cwd,
      program,
      environment: Object.keys(environment).sort(),
      timeoutMs,
      shell,
    },
    command: argv,
    cwd,
    bound: await boundFiles(context, cwd, [program, ...call.names]),
    program: shell ? null : program,
    execute: async (io) => {
      io.signal.throwIfAborted();
      const { beyond = [] } = io;
      return processOutput(argv, await sandbox.run({ ...spec, beyond }, io), timeoutMs, io.signal);
    },
  };
}
