import { z } from 'zod';
import { explainUnresolved, resolveProgram } from '../../sandbox/program';
import { defineAction } from '../define-tool';
import { refuseNul } from '../json-arguments';
import { ToolError } from '../tool';
import { commandCall, commandFolder } from './command-call';

const input = z.strictObject({
  command: z.string().min(1).max(100_000).describe('One command line for sh -c.'),
  cwd: z.string().optional().describe('The folder to start it in, relative to the workspace. Default: the workspace.'),
  timeoutSec: z.number().positive().optional().describe('End it after so many seconds. The limit of the run stays.'),
});

export const shellTool = defineAction({
  name: 'shell',
  description:
    'Runs a command line in sh. The operator is always warned of it: use run_command unless pipes or redirections are needed. It has no stdin, and ends with all processes that it started.',
  input,
  dangerous: true,
  keptBy: 'sandbox',
  async prepare({ command, cwd, timeoutSec }, context) {
    if (process.platform === 'win32') throw new ToolError('shell is not supported on Windows. Use run_command.');
    refuseNul('command', command);
    const folder = await commandFolder(context, cwd);
    const search = { cwd: folder, environment: context.environment };
    const program = await resolveProgram('sh', search);
    if (program === null) throw new ToolError(await explainUnresolved('sh', search));
    const argv = ['sh', '-c', command] as const;
    return commandCall({ argv, cwd: folder, program, timeoutSec, shell: true, names: [command] }, context);
  },
});
