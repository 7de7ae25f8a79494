// An app of its own, to be run as any user: writes "new" into files, and prints what came of each.
// node write-all.mjs FOLDER GIVEN.json
import { readFile } from 'node:fs/promises';
import { writeFileTool } from '../../../../../src/main/tools/computer/write-file';
import { contextFor, quietIo } from './attack-context';

const given: { workspace: string; paths: string[] } = JSON.parse(await readFile(process.argv[3] ?? '', 'utf8'));
const said: string[] = [];
for (const path of given.paths) {
  try {
    const input = JSON.stringify({ path, content: 'new' });
    const prepared = await writeFileTool.prepare(input, contextFor(given.workspace));
    said.push((await prepared.execute(quietIo())).content);
  } catch (error) {
    said.push(error instanceof Error ? error.message : String(error));
  }
}
process.stdout.write(JSON.stringify(said));
