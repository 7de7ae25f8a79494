// An app of its own, to be run as any user: uses the tools while what they are used on is swapped.
// node run-races.mjs FOLDER ROUNDS.json
import { type ChildProcess, execFile as execFileWithCallback, spawn } from 'node:child_process';
import { mkdir, open, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deleteTool } from '../../../../../src/main/tools/computer/delete';
import { editFileTool } from '../../../../../src/main/tools/computer/edit-file';
import { listDirTool } from '../../../../../src/main/tools/computer/list-dir';
import { moveTool } from '../../../../../src/main/tools/computer/move';
import { readFileTool } from '../../../../../src/main/tools/computer/read-file';
import { searchFilesTool } from '../../../../../src/main/tools/computer/search-files';
import { writeFileTool } from '../../../../../src/main/tools/computer/write-file';
import type { ActionTool } from '../../../../../src/main/tools/tool';
import { attackContext, quietIo } from './attack-context';
import { RACES, type Race, type RaceResult } from './races';
import { Scene } from './scene';
import { makeWorld, SECRET, snapshot } from './world';

const execFile = promisify(execFileWithCallback);
const [folder = '', given = ''] = process.argv.slice(2);
const rounds: number = JSON.parse(await readFile(given, 'utf8'));
const top = join(await realpath(folder), 'top');

type Use = readonly [name: string, tool: ActionTool, input: (path: string, folder: string) => object];
const USES: readonly Use[] = [
  ['read_file', readFileTool, (path) => ({ path })],
  ['list_dir', listDirTool, (_, path) => ({ path, recursive: true })],
  ['list_dir of the workspace', listDirTool, () => ({ path: '.', recursive: true, limit: 5_000 })],
  ['search_files', searchFilesTool, (_, path) => ({ pattern: 'S.CRET|outside', path })],
  ['search_files in the workspace', searchFilesTool, () => ({ pattern: 'S.CRET' })],
  ['write_file', writeFileTool, (path) => ({ path, content: 'EVIL' })],
  ['write_file of a new one', writeFileTool, (path) => ({ path: `${path}-${Math.random()}`, content: 'EVIL' })],
  ['write_file in a new folder', writeFileTool, (path) => ({ path: `${path}-${Math.random()}/x`, content: 'EVIL' })],
  ['edit_file', editFileTool, (path) => ({ path, oldString: 'e', newString: 'EVIL', replaceAll: true })],
  ['move from', moveTool, (from) => ({ from, to: `moved-${Math.random()}` })],
  ['move to', moveTool, (path) => ({ from: 'taken', to: `${path}-${Math.random()}` })],
  ['delete', deleteTool, (path) => ({ path })],
  ['delete a folder', deleteTool, (_, path) => ({ path, recursive: true })],
];

const results: RaceResult[] = [];
for (const race of RACES) results.push(await run(race));
process.stdout.write(JSON.stringify(results));

async function run(race: Race): Promise<RaceResult> {
  await rm(top, { recursive: true, force: true });
  await mkdir(top);
  await makeWorld(top);
  await mkdir(join(top, 'outside/tree'));
  await writeFile(join(top, 'outside/tree/file'), SECRET);
  const [real, trap] = race.swapped.map((path) => join(top, path)) as [string, string];
  const scene = new Scene(race, await open(join(top, 'ws'), 'r'));
  await scene.set(real, trap);
  const before = await snapshot(top);
  const swapper = await startSwapping(real, trap);
  const counts = { refused: 0, done: 0 };
  const told = new Set<string>();
  const at = race.path.replace('TOP', top);
  const path = race.file === '' ? at : `${at}/${race.file}`;
  const folder = race.around ?? (race.real === 'folder' ? `${at}/tree` : 'sub');
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, tool, input] of USES) {
      // A file lies in this folder, which nothing else brings back.
      if (tool === deleteTool && folder === 'sub') continue;
      await scene.restore(real, trap);
      const end = await use(tool, input(path, folder));
      counts[end.done ? 'done' : 'refused'] += 1;
      if (end.said.includes(SECRET)) told.add(name);
    }
  }
  const swaps = await stopSwapping(swapper);
  await scene.close();
  const after = await snapshot(top);
  const changes = after.filter((line, index) => line !== before[index]);
  const left = (await execFile('find', [top, '-name', '.sayso-*'])).stdout.split('\n').filter(Boolean);
  return { about: race.about, swaps, ...counts, told: [...told], changes, left };
}

async function use(tool: ActionTool, input: object): Promise<{ readonly done: boolean; readonly said: string }> {
  try {
    const prepared = await tool.prepare(JSON.stringify(input), attackContext(top));
    const shown = JSON.stringify([prepared.preview, prepared.bound]);
    const { content, isError } = await prepared.execute(quietIo());
    return { done: !isError, said: shown + content };
  } catch (error) {
    return { done: false, said: String(error) };
  }
}

/**
 * Exchanges the two names in one step each (renameat2 with RENAME_EXCHANGE), which Node cannot. With a breath in between
 * now and then: the folder is locked meanwhile, and nobody else would get anywhere.
 */
async function startSwapping(real: string, trap: string): Promise<ChildProcess> {
  const number = { x64: 316, arm64: 276 }[process.arch as 'x64' | 'arm64'];
  const script = `
    my ($number, $a, $b) = @ARGV; $number += 0; my $parent = getppid(); my $count = 0; my $stop = 0; $| = 1;
    $SIG{TERM} = sub { $stop = 1 }; print "ready\\n";
    for (my $turn = 1; !$stop && getppid() == $parent; $turn++) {
      $count++ if syscall($number, -100, $a, -100, $b, 2) == 0;
      select(undef, undef, undef, 0.00002) if $turn % 8 == 0;
    }
    syscall($number, -100, $a, -100, $b, 2) if -l $a || -p $a;
    print "$count\\n";`;
  const child = spawn('perl', ['-e', script, String(number), real, trap], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return child;
}

async function stopSwapping(child: ChildProcess): Promise<number> {
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const closed = new Promise((resolve) => child.on('close', resolve));
  child.kill('SIGTERM');
  await closed;
  return Number(text.trim());
}
