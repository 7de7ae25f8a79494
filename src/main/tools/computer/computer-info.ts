import { arch, availableParallelism, cpus, freemem, release, totalmem, type } from 'node:os';
import { z } from 'zod';
import { argumentsPreview, defineAction } from '../define-tool';
import { fileRules } from './file-rules';
import { perform } from './perform';

const input = z.strictObject({});
const MIB = 1024 * 1024;

export const computerInfoTool = defineAction({
  name: 'computer_info',
  description:
    'Tells the operating system, processors, memory (MiB), time, the workspace of this session, and what beyond it can be read or written.',
  input,
  dangerous: false,
  keptBy: 'app',
  async prepare(given, context) {
    return {
      preview: argumentsPreview(input, given),
      command: ['computer_info'],
      cwd: context.workspace,
      bound: {},
      program: null,
      execute: (io) =>
        perform(io, async () => {
          const { read, write } = await fileRules(context);
          // Nothing that names the person or the machine: the answer goes to the model's provider.
          return JSON.stringify({
            system: type(),
            release: release(),
            platform: process.platform,
            architecture: arch(),
            processors: availableParallelism(),
            processor: cpus()[0]?.model.trim() ?? 'unknown',
            memoryTotal: Math.round(totalmem() / MIB),
            memoryFree: Math.round(freemem() / MIB),
            time: new Date().toISOString(),
            timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
            workspace: context.workspace,
            canBeReadBeyondIt: read,
            canBeWrittenBeyondIt: write,
            sandbox: context.sandbox.tier.label,
          });
        }),
    };
  },
});
