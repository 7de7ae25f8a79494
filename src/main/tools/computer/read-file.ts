import { z } from 'zod';
import { holdsPlace } from '../../sandbox/bwrap/place-marks';
import { argumentsPreview, defineAction } from '../define-tool';
import { ToolError } from '../tool';
import { countLines, firstLines } from './differing';
import { fileRules } from './file-rules';
import { isBinary, readRegular } from './files';
import { perform } from './perform';
import { resolvePath } from './resolve-path';
import { PLACE } from './words';

/** Characters of a file that are given at once: as much as is kept of a command's output. */
export const READ_LENGTH = 65_536;

const input = z.strictObject({
  path: z.string().describe(`The file, ${PLACE}.`),
  startLine: z.int().min(1).optional().describe('The first line to read, counted from 1. Default: 1.'),
  endLine: z.int().min(1).optional().describe('The last line to read. Default: the last one of the file.'),
});

export const readFileTool = defineAction({
  name: 'read_file',
  description: `Reads a text file, or some of its lines, exactly as it stands; at most ${READ_LENGTH} characters at once. A note in square brackets before the text says if it is not the whole file.`,
  input,
  dangerous: false,
  keptBy: 'file-rules',
  async prepare(given, context) {
    const { startLine, endLine } = given;
    if (startLine !== undefined && endLine !== undefined && endLine < startLine) {
      throw new ToolError(`endLine (${endLine}) stands before startLine (${startLine}).`);
    }
    const path = await resolvePath(await fileRules(context), given.path, 'read', 'follow');
    if (path.stats === null || holdsPlace(path.stats)) throw new ToolError(`${path.shown}: there is no such file.`);
    if (path.stats.isDirectory()) throw new ToolError(`${path.shown} is a folder. Use list_dir.`);
    if (!path.stats.isFile()) throw new ToolError(`${path.shown} is not a regular file.`);
    return {
      preview: argumentsPreview(input, given),
      command: ['read_file', path.shown],
      cwd: context.workspace,
      bound: {},
      program: null,
      execute: (io) =>
        perform(io, async () => {
          const content = await readRegular(path);
          if (isBinary(content)) return `[${path.shown} is not text: ${content.length} bytes.]`;
          return excerpt(content.toString('utf8'), startLine ?? 1, endLine ?? Number.MAX_SAFE_INTEGER);
        }),
    };
  },
});

/**
 * Lines `from` to `to` of a text, counted from 1, verbatim, with a note before them where they are not the whole of it.
 * @throws ToolError where the text has no line `from`.
 */
export function excerpt(text: string, from: number, to: number): string {
  if (text === '') return '[The file is empty.]';
  const total = countLines(text);
  if (from > total) throw new ToolError(`The file has only ${total} lines.`);
  const wantedCount = Math.min(to, total) - from + 1;
  // Not more than can be given: a file may have millions of lines.
  const wanted = firstLines(text.slice(startOfLine(text, from)), Math.min(wantedCount, READ_LENGTH));
  const notes: string[] = [];
  let length = 0;
  let count = 0;
  while (count < wanted.length && length + (wanted[count]?.length ?? 0) <= READ_LENGTH) {
    length += wanted[count]?.length ?? 0;
    count++;
  }
  let shown = wanted.slice(0, count).join('');
  if (count === 0) {
    const line = wanted[0] ?? '';
    const kept = line.slice(0, READ_LENGTH).replace(/[\ud800-\udbff]$/, '');
    notes.push(`Line ${from} of ${total}, of which ${line.length - kept.length} characters at its end are left out.`);
    // Beside the mark the half of a secret is looked for.
    shown = `${kept} [...]`;
    if (wantedCount > 1) notes.push(`Read on with startLine ${from + 1}.`);
  } else if (count < total) {
    notes.push(`Lines ${from} to ${from + count - 1} of ${total}.`);
    if (count < wantedCount) notes.push(`Cut at ${READ_LENGTH} characters: read on with startLine ${from + count}.`);
  }
  if (shown.includes('\ufffd')) notes.push('What is not valid UTF-8 is shown as U+FFFD.');
  return notes.length === 0 ? shown : `[${notes.join(' ')}]\n${shown}`;
}

/** Where line `number`, counted from 1, begins. There is one. */
function startOfLine(text: string, number: number): number {
  let at = 0;
  for (let line = 1; line < number; line++) at = text.indexOf('\n', at) + 1;
  return at;
}
