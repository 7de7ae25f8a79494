import { z } from 'zod';
import { argumentsPreview, defineAction } from '../define-tool';
import { refuseNul } from '../json-arguments';
import { ToolError } from '../tool';
import { fileRules } from './file-rules';
import { MAX_GLOB_LENGTH } from './glob';
import { checkPattern, LineMatcher } from './line-matcher';
import { perform } from './perform';
import { resolvePath } from './resolve-path';
import { search } from './search';
import { PLACE } from './words';

const DEFAULT_RESULTS = 100;
const MAX_RESULTS = 1_000;

const input = z.strictObject({
  pattern: z.string().min(1).max(1_000).describe('A JavaScript regular expression, matched line by line.'),
  path: z.string().optional().describe(`The folder or file to search, ${PLACE}. Default: all of the workspace.`),
  glob: z
    .string()
    .min(1)
    .max(MAX_GLOB_LENGTH)
    .optional()
    .describe('Only files whose name fits, such as *.ts, or whose path from the folder does, such as src/**/*.ts.'),
  ignoreCase: z.boolean().optional().describe('Default: false.'),
  maxResults: z.int().min(1).max(MAX_RESULTS).optional().describe(`Default: ${DEFAULT_RESULTS}.`),
});

export const searchFilesTool = defineAction({
  name: 'search_files',
  description:
    'Searches text files for lines that match, sorted by path; gives path:line: text. Not searched: .git, binary and very large files, and what links lead to.',
  input,
  dangerous: false,
  keptBy: 'file-rules',
  async prepare(given, context) {
    for (const name of ['pattern', 'glob'] as const) refuseNul(name, given[name] ?? '');
    const flags = given.ignoreCase === true ? 'i' : '';
    const rules = await fileRules(context);
    const root = await resolvePath(rules, given.path ?? '.', 'read', 'follow');
    if (root.stats === null) throw new ToolError(`${root.shown}: there is no such file or folder.`);
    checkPattern(given.pattern, flags);
    return {
      preview: argumentsPreview(input, given),
      command: ['search_files', given.pattern, root.shown],
      cwd: context.workspace,
      bound: {},
      program: null,
      execute: (io) =>
        perform(io, async () => {
          const matcher = new LineMatcher(given.pattern, flags);
          try {
            const limit = given.maxResults ?? DEFAULT_RESULTS;
            return await search(root, matcher, {
              rules,
              glob: given.glob ?? null,
              limit,
              signal: io.signal,
              timeMs: context.toolTimeoutMs,
            });
          } finally {
            await matcher.end();
          }
        }),
    };
  },
});
