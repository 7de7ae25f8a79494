import type { PreparedCall, ToolContext } from '../tool';
import { fileDiff } from './file-diff';
import { sha256 } from './files';
import { perform } from './perform';
import { contentHash, replaceFile, type WriteTarget } from './replace-file';

/** A call that puts new content into one file, shown as a diff and bound to both contents. */
export function fileChange(
  tool: string,
  context: ToolContext,
  target: WriteTarget,
  after: Buffer,
  done: string,
): PreparedCall {
  const { path, content } = target;
  return {
    preview: {
      kind: 'file',
      path: path.shown,
      created: content === null,
      bytesAfter: after.length,
      ...fileDiff(content, after),
    },
    command: [tool, path.shown],
    cwd: context.workspace,
    bound: { before: contentHash(content), after: sha256(after) },
    program: null,
    execute: (io) =>
      perform(io, async () => {
        await replaceFile(target, after, io.signal);
        return done;
      }),
  };
}
