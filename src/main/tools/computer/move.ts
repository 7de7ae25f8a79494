import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { defineAction } from '../define-tool';
import { ToolError } from '../tool';
import { existingPath, refuseChanged, refuseExisting } from './existing';
import { identity, measure } from './measure';
import { perform } from './perform';
import { isInside, lstatOrNull, resolveInWorkspace } from './workspace-path';

const input = z.strictObject({
  from: z.string().describe('The file or folder, relative to the workspace.'),
  to: z.string().describe('Its new path, name included. Nothing may be there yet; its parent folder must exist.'),
});

export const moveTool = defineAction({
  name: 'move',
  description: 'Moves or renames a file or folder within the workspace. It never replaces anything.',
  input,
  dangerous: true,
  async prepare({ from, to }, context) {
    const { workspace } = context;
    const source = await existingPath(workspace, from);
    const target = await resolveInWorkspace(workspace, to, 'keep');
    if (isInside(source.absolute, target.absolute)) {
      throw new ToolError(`${source.relative} cannot be moved to ${target.relative}: that is itself, or in it.`);
    }
    await refuseExisting(target);
    const parent = await lstatOrNull(dirname(target.absolute), target.relative);
    if (parent?.isDirectory() !== true) throw new ToolError(`${target.relative}: its parent folder does not exist.`);
    return {
      preview: { kind: 'move', from: source.relative, to: target.relative, ...(await measure(source)) },
      command: ['move', source.relative, target.relative],
      cwd: workspace,
      bound: { from: identity(source.stats) },
      program: null,
      execute: (io) =>
        perform(io, async () => {
          await refuseChanged(workspace, source);
          const now = await resolveInWorkspace(workspace, target.absolute, 'keep');
          if (now.absolute !== target.absolute)
            throw new ToolError(`${target.relative}: a folder on the way has changed.`);
          await refuseExisting(now);
          await rename(source.absolute, now.absolute);
          return `Moved ${source.relative} to ${target.relative}.`;
        }),
    };
  },
});
