// An app of its own, to be run as any user: tries every path on every file tool, and prints what came of it.
// node run-attacks.mjs FOLDER ATTACKS.json
import { mkdir, readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { deleteTool } from '../../../../../src/main/tools/computer/delete';
import { editFileTool } from '../../../../../src/main/tools/computer/edit-file';
import { listDirTool } from '../../../../../src/main/tools/computer/list-dir';
import { moveTool } from '../../../../../src/main/tools/computer/move';
import { readFileTool } from '../../../../../src/main/tools/computer/read-file';
import { runCommandTool } from '../../../../../src/main/tools/computer/run-command';
import { searchFilesTool } from '../../../../../src/main/tools/computer/search-files';
import { writeFileTool } from '../../../../../src/main/tools/computer/write-file';
import { type ActionTool, ToolError } from '../../../../../src/main/tools/tool';
import { attackContext, quietIo } from './attack-context';
import type { PathAttack } from './attacks';
import { makeWorld, snapshot } from './world';

/** What one tool made of a path. */
export interface Use {
  readonly name: string;
  /** `refused`: before anyone would be asked. */
  readonly end: 'refused' | 'error' | 'done' | 'not tried';
  /** Everything that a model or an operator gets to see of it. */
  readonly said: string;
}

export interface AttackResult extends PathAttack {
  readonly uses: readonly Use[];
  /** What is not as it was, outside or protected. */
  readonly changes: readonly string[];
}

type Try = readonly [name: string, tool: ActionTool, input: (path: string) => object];

const LOOKING: readonly Try[] = [
  ['read_file', readFileTool, (path) => ({ path })],
  ['list_dir', listDirTool, (path) => ({ path, recursive: true })],
  ['search_files', searchFilesTool, (path) => ({ pattern: 'S.CRET', path })],
  ['run_command cwd', runCommandTool, (cwd) => ({ argv: ['pwd'], cwd })],
];

const CHANGING: readonly Try[] = [
  ['edit_file', editFileTool, (path) => ({ path, oldString: 'e', newString: 'EVIL', replaceAll: true })],
  ['write_file append', writeFileTool, (path) => ({ path, content: 'EVIL', append: true })],
  ['write_file', writeFileTool, (path) => ({ path, content: 'EVIL' })],
  ['move to', moveTool, (to) => ({ from: 'taken', to })],
  ['move from', moveTool, (from) => ({ from, to: 'moved' })],
  ['delete', deleteTool, (path) => ({ path, recursive: true })],
];

const [folder = '', list = ''] = process.argv.slice(2);
const top = join(await realpath(folder), 'top');
const attacks: PathAttack[] = JSON.parse(await readFile(list, 'utf8'));
const results: AttackResult[] = [];
/** The world as it was made; null where something was done in it since, so that it has to be made anew. */
let before: readonly string[] | null = null;
for (const attack of attacks) results.push(await tryOne(attack));
process.stdout.write(JSON.stringify(results));

async function tryOne(attack: PathAttack): Promise<AttackResult> {
  const path = attack.path.replace('/proc/self/root/TOP', `/proc/self/root${top}`).replace('TOP', top);
  const uses: Use[] = [];
  const changes: string[] = [];
  for (const use of [...LOOKING, ...CHANGING]) {
    // Each starts from the same.
    const fresh = before ?? (await madeAnew());
    const tried = await tryUse(use, path, attack);
    uses.push(tried);
    const after = await snapshot(top);
    changes.push(...after.filter((line, index) => line !== fresh[index]).map((line) => `${use[0]}: ${line}`));
    const isTouched = changes.length > 0 || (CHANGING.includes(use) && ['done', 'error'].includes(tried.end));
    before = isTouched ? null : fresh;
  }
  return { ...attack, uses, changes };
}

async function madeAnew(): Promise<readonly string[]> {
  await rm(top, { recursive: true, force: true });
  await mkdir(top);
  await makeWorld(top);
  return snapshot(top);
}

async function tryUse([name, tool, input]: Try, path: string, { kind }: PathAttack): Promise<Use> {
  try {
    const prepared = await tool.prepare(JSON.stringify(input(path)), attackContext(top));
    const shown = JSON.stringify([prepared.preview, prepared.command, prepared.bound]);
    // A test must not be able to harm the machine: what should have been refused is not done to find out.
    const mayHarm = kind !== 'inside' && kind !== 'itself' && CHANGING.some(([changing]) => changing === name);
    if (mayHarm || name === 'run_command cwd') return { name, end: 'not tried', said: shown };
    const { content, isError } = await prepared.execute(quietIo());
    return { name, end: isError ? 'error' : 'done', said: shown + content };
  } catch (error) {
    if (error instanceof ToolError) return { name, end: 'refused', said: error.message };
    throw error;
  }
}
