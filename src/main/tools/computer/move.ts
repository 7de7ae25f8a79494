import { basename, dirname } from 'node:path';
import { z } from 'zod';
import { covers } from '../../sandbox/paths';
import { defineAction } from '../define-tool';
import { ToolError } from '../tool';
import { type ExistingPath, existingPath, existsAlready, refuseChanged } from './existing';
import { codeOf, fileError } from './file-error';
import { fileRules } from './file-rules';
import { HeldFolder } from './held-folder';
import { identity, measure } from './measure';
import { perform } from './perform';
import { refuseBringing } from './refuse-protected';
import { lstatOrNull, type ResolvedPath, resolvePath } from './resolve-path';
import { PLACE } from './words';

const input = z.strictObject({
  from: z.string().describe(`The file or folder, ${PLACE}.`),
  to: z.string().describe('Its new path, name included. Nothing may be there yet; its parent folder must exist.'),
});

export const moveTool = defineAction({
  name: 'move',
  description: 'Moves or renames a file or folder. It never replaces anything.',
  input,
  dangerous: true,
  keptBy: 'file-rules',
  async prepare({ from, to }, context) {
    const rules = await fileRules(context);
    const source = await existingPath(rules, from);
    const target = await resolvePath(rules, to, 'write', 'keep');
    if (covers(source.absolute, target.absolute)) {
      throw new ToolError(`${source.shown} cannot be moved to ${target.shown}: that is itself, or in it.`);
    }
    if (target.stats !== null) throw existsAlready(target.shown);
    await refuseBringing(rules, { absolute: source.absolute, isLink: source.stats.isSymbolicLink() }, target);
    const parent = await lstatOrNull(dirname(target.absolute), target.shown);
    if (parent?.isDirectory() !== true) throw new ToolError(`${target.shown}: its parent folder does not exist.`);
    return {
      preview: { kind: 'move', from: source.shown, to: target.shown, ...(await measure(source)) },
      command: ['move', source.shown, target.shown],
      cwd: context.workspace,
      bound: { from: identity(source.stats) },
      program: null,
      execute: (io) =>
        perform(io, async () => {
          await move(source, target);
          return `Moved ${source.shown} to ${target.shown}.`;
        }),
    };
  },
});

async function move(source: ExistingPath, target: ResolvedPath): Promise<void> {
  const from = await HeldFolder.open(dirname(source.absolute), source.shown);
  try {
    const to = await HeldFolder.open(dirname(target.absolute), target.shown);
    try {
      await refuseChanged(from, source);
      await rename(
        { folder: from, name: basename(source.absolute) },
        { folder: to, name: basename(target.absolute) },
        source,
        target,
      );
    } catch (error) {
      throw fileError(error, source.shown);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

interface Held {
  readonly folder: HeldFolder;
  readonly name: string;
}

/** A rename would replace what has come to be there, so it is the last resort, for folders and without hard links. */
async function rename(from: Held, to: Held, source: ExistingPath, target: ResolvedPath): Promise<void> {
  if (!source.stats.isDirectory() && (await linked(from, to, target))) {
    const there = await to.folder.lstat(to.name);
    const isIt = there?.dev === source.stats.dev && there.ino === source.stats.ino;
    try {
      if (!isIt) throw new ToolError(`${source.shown} has changed since this was prepared. Nothing was done.`);
      await from.folder.removeFile(from.name);
    } catch (error) {
      await to.folder.removeFile(to.name);
      throw error;
    }
    return;
  }
  if ((await to.folder.lstat(to.name)) !== null) throw existsAlready(target.shown);
  await from.folder.rename(from.name, to.folder, to.name);
}

/** Gives a file its new name beside the old one. False: not every file system can, and not everybody may. */
async function linked(from: Held, to: Held, target: ResolvedPath): Promise<boolean> {
  try {
    await from.folder.link(from.name, to.folder, to.name);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw existsAlready(target.shown);
    return false;
  }
}
