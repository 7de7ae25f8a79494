import type { Dirent } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { argumentsPreview, defineAction } from '../define-tool';
import { ToolError } from '../tool';
import { byName } from './order';
import { perform } from './perform';
import { fileError, resolveInWorkspace } from './workspace-path';

const DEFAULT_LIMIT = 500;
/** Of more entries than this a model learns nothing, and they would fill its context. */
const MAX_LIMIT = 5_000;

const input = z.strictObject({
  path: z.string().describe('The folder, relative to the workspace; "." is the workspace.'),
  recursive: z.boolean().optional().describe('Also what is in its folders, but not in .git. Default: false.'),
  limit: z.int().min(1).max(MAX_LIMIT).optional().describe(`At most so many entries. Default: ${DEFAULT_LIMIT}.`),
});

export const listDirTool = defineAction({
  name: 'list_dir',
  description:
    'Lists a folder, sorted by name: folders end with "/", links show what they lead to and are not followed.',
  input,
  dangerous: false,
  async prepare(given, context) {
    const folder = await resolveInWorkspace(context.workspace, given.path, 'follow');
    if (folder.stats === null) throw new ToolError(`${folder.relative}: there is no such folder.`);
    if (!folder.stats.isDirectory()) throw new ToolError(`${folder.relative} is not a folder.`);
    return {
      preview: argumentsPreview(input, given),
      command: ['list_dir', folder.relative],
      cwd: context.workspace,
      bound: {},
      program: null,
      execute: (io) =>
        perform(io, async () => {
          const limit = given.limit ?? DEFAULT_LIMIT;
          const lines: string[] = [];
          for await (const line of walk(folder.absolute, '', given.recursive === true)) {
            io.signal.throwIfAborted();
            if (lines.length === limit) {
              lines.push(`[There is more: cut at ${limit} entries. List a folder in it, or raise limit.]`);
              break;
            }
            lines.push(line);
          }
          return lines.length === 0 ? '[The folder is empty.]' : lines.join('\n');
        }),
    };
  },
});

async function* walk(folder: string, prefix: string, recursive: boolean): AsyncGenerator<string> {
  let entries: Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    // One folder that cannot be read does not hide the others.
    if (prefix === '') throw fileError(error, '.');
    yield `${prefix} [${fileError(error, 'not listed').message}]`;
    return;
  }
  for (const entry of entries.sort(byName)) {
    const shown = prefix + entry.name;
    yield await describeEntry(entry, folder, shown);
    if (recursive && entry.isDirectory() && entry.name !== '.git') {
      yield* walk(join(folder, entry.name), `${shown}/`, recursive);
    }
  }
}

async function describeEntry(entry: Dirent, folder: string, shown: string): Promise<string> {
  if (entry.isDirectory()) return `${shown}/`;
  if (entry.isFile()) return shown;
  if (entry.isSymbolicLink()) return `${shown} -> ${await readlink(join(folder, entry.name)).catch(() => '?')}`;
  if (entry.isFIFO()) return `${shown} (pipe)`;
  return entry.isSocket() ? `${shown} (socket)` : `${shown} (device)`;
}
