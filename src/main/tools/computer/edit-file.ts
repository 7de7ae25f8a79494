import { z } from 'zod';
import { argumentsPreview, defineAction } from '../define-tool';
import { ToolError } from '../tool';
import { fileChange } from './file-change';
import { fileRules } from './file-rules';
import { decodeText, FILE_LIMIT, isBinary } from './files';
import { writeTarget } from './replace-file';
import { resolvePath } from './resolve-path';
import { PLACE } from './words';

const input = z.strictObject({
  path: z.string().describe(`The file, ${PLACE}.`),
  oldString: z.string().min(1).describe('The text to replace, exactly as it stands in the file, white space included.'),
  newString: z.string().describe('The text to put in its place.'),
  replaceAll: z.boolean().optional().describe('Replace every occurrence. Default: false, it must occur exactly once.'),
});

export const editFileTool = defineAction({
  name: 'edit_file',
  description:
    'Replaces a text in a file by another. It is an error, and the file stays as it was, if the text is missing, occurs more than once (without replaceAll) or would not change.',
  input,
  dangerous: true,
  keptBy: 'file-rules',
  // Whether a text is in a file says what is in it.
  async outline(given, context) {
    const { shown, stats } = await resolvePath(await fileRules(context), given.path, 'write', 'keep');
    if (stats === null) throw missingFile(shown);
    return { command: ['edit_file', shown], preview: argumentsPreview(input, given) };
  },
  async prepare({ path, oldString, newString, replaceAll }, context) {
    const target = await writeTarget(await fileRules(context), path);
    const shown = target.path.shown;
    if (target.content === null) throw missingFile(shown);
    const text = isBinary(target.content) ? null : decodeText(target.content);
    if (text === null) throw new ToolError(`${shown} is not UTF-8 text and cannot be edited.`);
    if (oldString === newString) throw new ToolError('oldString and newString are the same: nothing would change.');

    const first = text.indexOf(oldString);
    if (first === -1) throw new ToolError(missing(text, oldString, shown));
    // From the next character on, not after the first find: occurrences that overlap are as ambiguous.
    if (replaceAll !== true && text.includes(oldString, first + 1)) {
      throw new ToolError(`oldString occurs more than once in ${shown}. Give more of its surroundings, or replaceAll.`);
    }
    const parts = replaceAll === true ? text.split(oldString) : splitOnce(text, first, oldString.length);
    const after = Buffer.from(parts.join(newString), 'utf8');
    if (after.length > FILE_LIMIT) {
      throw new ToolError(`${shown} would become too large: ${after.length} bytes, at most ${FILE_LIMIT}.`);
    }
    const count = parts.length - 1;
    return fileChange(
      'edit_file',
      context,
      target,
      after,
      `Replaced ${count} occurrence${count === 1 ? '' : 's'} in ${shown}.`,
    );
  },
});

const missingFile = (shown: string): ToolError =>
  new ToolError(`${shown}: there is no such file. Use write_file to create it.`);

const splitOnce = (text: string, at: number, length: number): string[] => [text.slice(0, at), text.slice(at + length)];

function missing(text: string, wanted: string, shown: string): string {
  const base = `oldString does not occur in ${shown}.`;
  if (wanted.includes('\n') && text.includes(wanted.replace(/\r?\n/g, '\r\n'))) {
    return `${base} The file's lines end with CRLF: write \\r\\n.`;
  }
  return `${base} Read the file again and copy the text exactly, white space included.`;
}
