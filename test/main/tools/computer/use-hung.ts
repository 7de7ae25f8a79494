// An app of its own: uses a file system that does not answer, and everything beside it.
// UV_THREADPOOL_SIZE=THREADS node use-hung.mjs WORKSPACE, in which mnt does not answer
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { deleteTool } from '../../../../src/main/tools/computer/delete';
import { listDirTool } from '../../../../src/main/tools/computer/list-dir';
import { readFileTool } from '../../../../src/main/tools/computer/read-file';
import { runCommandTool } from '../../../../src/main/tools/computer/run-command';
import { searchFilesTool } from '../../../../src/main/tools/computer/search-files';
import { writeFileTool } from '../../../../src/main/tools/computer/write-file';
import { contextFor } from './attacks/attack-context';

const [workspace = ''] = process.argv.slice(2);
const context = contextFor(workspace);
const uses = [
  readFileTool.prepare(JSON.stringify({ path: 'mnt/x' }), context),
  writeFileTool.prepare(JSON.stringify({ path: 'mnt/x', content: '' }), context),
  listDirTool.prepare(JSON.stringify({ path: 'mnt/a/b' }), context),
  deleteTool.prepare(JSON.stringify({ path: 'mnt/x' }), context),
  searchFilesTool.prepare(JSON.stringify({ pattern: 'x', path: 'mnt/x' }), context),
  ...Array.from({ length: 20 }, (_, index) =>
    runCommandTool.prepare(JSON.stringify({ argv: ['cat', ...Array(50).fill(`mnt/${index}`)] }), context),
  ),
];
let settled = 0;
for (const use of uses) {
  const count = (): void => {
    settled += 1;
  };
  use.then(count, count);
}
// The rest of the app has its files, again and again.
for (let turn = 0; turn < 200; turn += 1) await stat(join(workspace, 'file'));
process.stdout.write(`alive, ${settled} settled\n`);
// What hangs keeps a process from ending by itself.
process.kill(process.pid, 'SIGKILL');
