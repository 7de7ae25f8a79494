import { join } from 'node:path';
import { z } from 'zod';
import { argumentsPreview, defineAction } from '../define-tool';
import { ToolError } from '../tool';
import { fileError } from './file-error';
import { type FileRules, fileRules, isHidden } from './file-rules';
import { type Entry, HeldFolder } from './held-folder';
import { byShown } from './order';
import { perform } from './perform';
import { resolvePath } from './resolve-path';
import { PLACE } from './words';

const DEFAULT_LIMIT = 500;
/** Of more entries than this a model learns nothing, and they would fill its context. */
const MAX_LIMIT = 5_000;

const input = z.strictObject({
  path: z.string().describe(`The folder, ${PLACE}; "." is the workspace.`),
  recursive: z.boolean().optional().describe('Also what is in its folders, but not in .git. Default: false.'),
  limit: z.int().min(1).max(MAX_LIMIT).optional().describe(`At most so many entries. Default: ${DEFAULT_LIMIT}.`),
});

export const listDirTool = defineAction({
  name: 'list_dir',
  description:
    'Lists a folder, sorted by name: folders end with "/", links show what they lead to and are not followed.',
  input,
  dangerous: false,
  keptBy: 'file-rules',
  async prepare(given, context) {
    const rules = await fileRules(context);
    const { absolute, shown, stats } = await resolvePath(rules, given.path, 'read', 'follow');
    if (stats === null) throw new ToolError(`${shown}: there is no such folder.`);
    if (!stats.isDirectory()) throw new ToolError(`${shown} is not a folder.`);
    return {
      preview: argumentsPreview(input, given),
      command: ['list_dir', shown],
      cwd: context.workspace,
      bound: {},
      program: null,
      execute: (io) =>
        perform(io, async () => {
          const limit = given.limit ?? DEFAULT_LIMIT;
          const lines: string[] = [];
          const folder = await HeldFolder.open(absolute, shown);
          for await (const line of walk(folder, '', { rules, recursive: given.recursive === true })) {
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

interface Walk {
  readonly rules: FileRules;
  readonly recursive: boolean;
}

/** Closes the folder. */
async function* walk(folder: HeldFolder, prefix: string, options: Walk): AsyncGenerator<string> {
  try {
    let entries: Entry[];
    try {
      entries = await folder.listed();
    } catch (error) {
      // One folder that cannot be read does not hide the others.
      if (prefix === '') throw fileError(error, '.');
      yield `${prefix} [${fileError(error, 'not listed').message}]`;
      return;
    }
    for (const entry of entries.sort(byShown)) {
      const shown = prefix + entry.shown;
      yield await describeEntry(entry, folder, shown);
      if (!options.recursive || entry.kind !== 'folder' || entry.shown === '.git') continue;
      if (isHidden(options.rules, join(folder.path, entry.shown))) continue;
      const below = await folder.folder(entry.name, shown).catch((error: unknown) => fileError(error, shown));
      if (below instanceof HeldFolder) yield* walk(below, `${shown}/`, options);
      else yield `${shown}/ [not listed: ${below.message}]`;
    }
  } finally {
    await folder.close();
  }
}

async function describeEntry(entry: Entry, folder: HeldFolder, shown: string): Promise<string> {
  switch (entry.kind) {
    case 'folder':
      return `${shown}/`;
    case 'file':
      return shown;
    case 'link':
      return `${shown} -> ${await folder.readlink(entry.name).catch(() => '?')}`;
    default:
      return `${shown} (${entry.kind})`;
  }
}
