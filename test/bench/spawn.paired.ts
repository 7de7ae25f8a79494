// What a sandboxed command costs over the same command started plainly: by Sayso without a sandbox, with the same output,
// program search and end of the tree, and by Node alone. Each pair is measured one right after the other, in turn this one
// and that one first, so that what else the machine does falls on both.
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
for (const name of ['hooks', 'objects', 'refs']) await mkdir(join(workspace, '.git', name), { recursive: true });
await writeFile(join(workspace, '.git/config'), '');
await writeFile(join(workspace, '.git/HEAD'), 'ref: refs/heads/main\n');
// Without what npm puts before it: no operator has that there, and each folder is one more mount.
const path = (process.env.PATH ?? '').split(':').filter((part) => !part.includes('node_modules'));
const environment = { PATH: path.join(':'), HOME: process.env.HOME ?? '/' };

const byNode = (): Promise<void> =>
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

interface Way {
  readonly name: string;
  readonly start: () => Promise<void>;
}

async function compare(way: Way, plain: Way): Promise<void> {
  const [plainMs, wayMs]: [number[], number[]] = [[], []];
  for (let pair = -WARM_UP; pair < PAIRS; pair++) {
    const plainFirst = pair % 2 === 0;
    const first = await timed((plainFirst ? plain : way).start);
    const second = await timed((plainFirst ? way : plain).start);
    if (pair < 0) continue;
    plainMs.push(plainFirst ? first : second);
    wayMs.push(plainFirst ? second : first);
  }
  const more = wayMs.map((ms, index) => ms - (plainMs[index] ?? 0));
  const ratio = wayMs.map((ms, index) => ms / (plainMs[index] ?? 1));
  console.log(`${`${way.name} over ${plain.name}, ${PAIRS} pairs`.padEnd(60)}     min  median     max`);
  const line = (name: string, numbers: readonly number[]) => console.log(`  ${name.padEnd(58)}${spread(numbers, 1)}`);
  line(`${plain.name} (ms)`, plainMs);
  line(`${way.name} (ms)`, wayMs);
  line('more, pair by pair (ms)', more);
  line('ratio, pair by pair', ratio);
}

try {
  const sandbox = await chooseSandbox({ instanceId: 'bench', dataFolder: data });
  const node = { name: 'Node alone', start: byNode };
  const unconfined = { name: 'process only', start: within(createProcessTier('bench')) };
  const confined = { name: sandbox.tier.label, start: within(sandbox) };
  if (sandbox.tier.name !== 'process') {
    await compare(confined, unconfined);
    await compare(confined, node);
  }
  await compare(unconfined, node);
} finally {
  await rm(folder, { recursive: true, force: true });
}
