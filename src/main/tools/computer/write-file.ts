import { z } from 'zod';
import { defineAction } from '../define-tool';
import { ToolError } from '../tool';
import { fileChange } from './file-change';
import { fileRules } from './file-rules';
import { FILE_LIMIT } from './files';
import { writeTarget } from './replace-file';
import { PLACE } from './words';

const input = z.strictObject({
  path: z.string().describe(`The file, ${PLACE}.`),
  content: z.string().describe('The whole new content, or with append what is added at the end.'),
  append: z.boolean().optional().describe('Add to the end of the file. Default: false, the content is replaced.'),
});

export const writeFileTool = defineAction({
  name: 'write_file',
  description:
    'Creates a file or replaces its whole content; missing parent folders are made. To change a part of a file use edit_file.',
  input,
  dangerous: true,
  keptBy: 'file-rules',
  async prepare({ path, content, append }, context) {
    const target = await writeTarget(await fileRules(context), path);
    const given = Buffer.from(content, 'utf8');
    const after = append === true && target.content !== null ? Buffer.concat([target.content, given]) : given;
    const shown = target.path.shown;
    if (after.length > FILE_LIMIT) {
      throw new ToolError(`${shown} would become too large: ${after.length} bytes, at most ${FILE_LIMIT}.`);
    }
    const done = target.content === null ? `Created ${shown}` : `Wrote ${shown}`;
    return fileChange('write_file', context, target, after, `${done}: ${after.length} bytes.`);
  },
});
