import { z } from 'zod';
import { explainUnresolved, resolveProgram } from '../../sandbox/program';
import { defineAction } from '../define-tool';
import { refuseNul } from '../json-arguments';
import { ToolError } from '../tool';
import { commandCall, commandFolder } from './command-call';

const input = z.strictObject({
  argv: z.array(z.string()).min(1).max(10_000).describe('The program and its arguments, one token each.'),
  cwd: z.string().optional().describe('The folder to start it in, relative to the workspace. Default: the workspace.'),
  timeoutSec: z.number().positive().optional().describe('End it after so many seconds. The limit of the run stays.'),
});

export const runCommandTool = defineAction({
  name: 'run_command',
  description:
    'Runs a program with exactly these arguments. No shell is involved: no pipes, redirections, globs or variables. It has no stdin, and ends with all processes that it started. Prefer it to shell.',
  input,
  dangerous: true,
  keptBy: 'sandbox',
  async prepare({ argv, cwd, timeoutSec }, context) {
    const [name = '', ...rest] = argv;
    if (name === '') throw new ToolError('argv[0], the program, is empty.');
    argv.forEach((token, index) => {
      refuseNul(`argv[${index}]`, token);
    });
    const folder = await commandFolder(context, cwd);
    const search = { cwd: folder, environment: context.environment };
    const program = await resolveProgram(name, search);
    if (program === null) throw new ToolError(await explainUnresolved(name, search));
    return commandCall({ argv: [name, ...rest], cwd: folder, program, timeoutSec, shell: false, names: rest }, context);
  },
});
