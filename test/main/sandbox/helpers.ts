import { randomInt, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach } from 'vitest';
import type { ProcessResult, Sandbox } from '../../../src/main/sandbox/process';
import { createProcessTier } from '../../../src/main/sandbox/process-tier';
import { reapLeftovers } from '../../../src/main/sandbox/reap';

const folders: string[] = [];

/** Of the tiers that tests do not make themselves. */
const instance = randomUUID();

afterEach(async () => {
  // A test that failed half-way leaves nothing running either.
  await reapLeftovers(instance);
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** A folder of its own, gone after the test. */
export async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'sayso-test-')));
  folders.push(folder);
  return folder;
}

/** Waits until the condition holds, for at most twenty seconds: a loaded machine may take long for little. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`It never came to be that ${what}.`);
    await delay(10);
  }
}

/** A number of seconds that no other process on this machine sleeps for, to find a process by. */
export const uniqueSeconds = (): string => String(randomInt(1_000_000_000, 2_000_000_000));

/** The pids of living processes with this text in their command line. */
export async function processesWith(text: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const found: number[] = [];
  for (const pid of pids) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z');
    if (line.includes(text) && !/\) [ZX]/.test(status)) found.push(Number(pid));
  }
  return found;
}

export interface RunOptions {
  readonly sandbox?: Sandbox;
  readonly cwd?: string;
  readonly environment?: Record<string, string>;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly onOutput?: (text: string, totalBytes: number) => void;
}

/** Runs a command in the process tier. */
export async function run(argv: [string, ...string[]], options: RunOptions = {}): Promise<ProcessResult> {
  const cwd = options.cwd ?? (await tempFolder());
  const sandbox = options.sandbox ?? createProcessTier(instance);
  return sandbox.run(
    {
      argv,
      cwd,
      workspace: cwd,
      environment: options.environment ?? { PATH: process.env.PATH ?? '' },
      timeoutMs: options.timeoutMs ?? 60_000,
    },
    {
      signal: options.signal ?? new AbortController().signal,
      onOutput: options.onOutput ?? (() => undefined),
    },
  );
}

export const sh = (script: string, options?: RunOptions): Promise<ProcessResult> => run(['sh', '-c', script], options);
