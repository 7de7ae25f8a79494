import { basename, dirname } from 'node:path';
import { z } from 'zod';
import { defineAction } from '../define-tool';
import { ToolError } from '../tool';
import { deleteFolder } from './delete-folder';
import { existingPath, refuseChanged } from './existing';
import { fileError } from './file-error';
import { fileRules } from './file-rules';
import { HeldFolder } from './held-folder';
import { identity, measure } from './measure';
import { perform } from './perform';
import { PLACE } from './words';

const input = z.strictObject({
  path: z.string().describe(`The file or folder, ${PLACE}.`),
  recursive: z.boolean().optional().describe('Needed for a folder: delete it with all that is in it.'),
});

export const deleteTool = defineAction({
  name: 'delete',
  description: 'Deletes a file, a link (never what it leads to) or, with recursive, a folder. It cannot be undone.',
  input,
  dangerous: true,
  keptBy: 'file-rules',
  async prepare({ path, recursive }, context) {
    const target = await existingPath(await fileRules(context), path);
    const { absolute, shown } = target;
    const folder = target.stats.isDirectory();
    if (folder && recursive !== true) throw new ToolError(`${shown} is a folder: it needs recursive.`);
    return {
      preview: { kind: 'delete', path: shown, folder, ...(await measure(target)) },
      command: ['delete', shown],
      cwd: context.workspace,
      bound: { path: identity(target.stats) },
      program: null,
      execute: (io) =>
        perform(io, async () => {
          const parent = await HeldFolder.open(dirname(absolute), shown);
          try {
            await refuseChanged(parent, target);
            if (folder) await deleteFolder(parent, basename(absolute), shown, io.signal);
            else await parent.removeFile(basename(absolute));
          } catch (error) {
            throw fileError(error, shown);
          } finally {
            await parent.close();
          }
          return `Deleted ${shown}.`;
        }),
    };
  },
});
