// An app of its own: writes a large file in turns, until it is killed.
// node write-for-ever.mjs WORKSPACE
import { writeFileTool } from '../../../../src/main/tools/computer/write-file';
import { contextFor, quietIo } from './attacks/attack-context';

const [workspace = ''] = process.argv.slice(2);
for (let turn = 1; ; turn += 1) {
  const content = (turn % 2 === 0 ? 'a' : 'b').repeat(8 * 1024 * 1024);
  const prepared = await writeFileTool.prepare(JSON.stringify({ path: 'file', content }), contextFor(workspace));
  await prepared.execute(quietIo());
}
