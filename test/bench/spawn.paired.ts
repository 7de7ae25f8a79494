// What a sandboxed command costs over the same command started plainly. Each pair is measured one right after the
// other, in turn this one and that one first, so that what else the machine does falls on both.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseSandbox } from '../../src/main/sandbox/choose-sandbox';
import type { Sandbox } from '../../src/main/sandbox/process';
import { createProcessTier } from '../../src/main/sandbox/process-tier';

const PAIRS = Number(process.env.BENCH_PAIRS ?? 60);
const WARM_UP = 5;

const folder = await realpath(await mkdtemp(join(tmpdir(), 'sayso-bench-')));
const [data, workspace] = [join(folder, 'data'), join(folder, 'workspace')];
await mkdir(data);
await mkdir(join(workspace, '.git/hooks'), { recursive: true });
await writeFile(join(workspace, '.git/config'), '');
// Without what npm puts before it: no operator has that there, and each folder is one more mount.
const path = (process.env.PATH ?? '').split(':').filter((part) => !part.includes('node_modules'));
const environment = { PATH: path.join(':'), HOME: process.env.HOME ?? '/' };

const plain = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const options = { cwd: workspace, env: environment, stdio: ['ignore', 'pipe', 'pipe'] as const };
    spawn('/bin/true', [], { ...options, stdio: [...options.stdio] })
      .once('error', reject)
      .once('close', () => resolve());
  });

const within = (sandbox: Sandbox) => async (): Promise<void> => {
  const { end } = await sandbox.run(
    { argv: ['/bin/true'], cwd: workspace, workspace, environment, timeoutMs: 60_000 },
    { signal: new AbortController().signal, onOutput: () => undefined },
  );
  if (end.type !== 'exited' || end.exitCode !== 0) throw new Error(`It did not run: ${JSON.stringify(end)}`);
};

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const sorted = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b);
const at = (numbers: readonly number[], part: number): number =>
  sorted(numbers)[Math.round((numbers.length - 1) * part)] ?? Number.NaN;
const spread = (numbers: readonly number[], digits: number): string =>
  [0, 0.5, 1].map((part) => at(numbers, part).toFixed(digits).padStart(8)).join('');

async function compare(name: string, work: () => Promise<void>): Promise<void> {
  const [plainMs, workMs]: [number[], number[]] = [[], []];
  for (let pair = -WARM_UP; pair < PAIRS; pair++) {
    const plainFirst = pair % 2 === 0;
    const first = await timed(plainFirst ? plain : work);
    const second = await timed(plainFirst ? work : plain);
    if (pair < 0) continue;
    plainMs.push(plainFirst ? first : second);
    workMs.push(plainFirst ? second : first);
  }
  const more = workMs.map((ms, index) => ms - (plainMs[index] ?? 0));
  const ratio = workMs.map((ms, index) => ms / (plainMs[index] ?? 1));
  console.log(`${name}, ${PAIRS} pairs                  min  median     max`);
  console.log(`  plain (ms)             ${spread(plainMs, 1)}`);
  console.log(`  in the sandbox (ms)    ${spread(workMs, 1)}`);
  console.log(`  more, pair by pair (ms)${spread(more, 1)}`);
  console.log(`  ratio, pair by pair    ${spread(ratio, 1)}`);
}

try {
  const sandbox = await chooseSandbox({ instanceId: 'bench', dataFolder: data });
  await compare(sandbox.tier.label, within(sandbox));
  if (sandbox.tier.name !== 'process') await compare('process only', within(createProcessTier('bench')));
} finally {
  await rm(folder, { recursive: true, force: true });
}
