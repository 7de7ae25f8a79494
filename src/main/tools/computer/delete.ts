import { rm, unlink } from 'node:fs/promises';
import { z } from 'zod';
import { defineAction } from '../define-tool';
import { ToolError } from '../tool';
import { existingPath, refuseChanged } from './existing';
import { identity, measure } from './measure';
import { perform } from './perform';
import { fileError } from './workspace-path';

const input = z.strictObject({
  path: z.string().describe('The file or folder, relative to the workspace.'),
  recursive: z.boolean().optional().describe('Needed for a folder: delete it with all that is in it.'),
});

export const deleteTool = defineAction({
  name: 'delete',
  description: 'Deletes a file, a link (never what it leads to) or, with recursive, a folder. It cannot be undone.',
  input,
  dangerous: true,
  async prepare({ path, recursive }, context) {
    const { workspace } = context;
    const target = await existingPath(workspace, path);
    const folder = target.stats.isDirectory();
    if (folder && recursive !== true) throw new ToolError(`${target.relative} is a folder: it needs recursive.`);
    return {
      preview: { kind: 'delete', path: target.relative, folder, ...(await measure(target)) },
      command: ['delete', target.relative],
      cwd: workspace,
      bound: { path: identity(target.stats) },
      program: null,
      execute: (io) =>
        perform(io, async () => {
          await refuseChanged(workspace, target);
          await (folder ? rm(target.absolute, { recursive: true }) : unlink(target.absolute)).catch(
            (error: unknown) => {
              throw fileError(error, target.relative);
            },
          );
          return `Deleted ${target.relative}.`;
        }),
    };
  },
});
