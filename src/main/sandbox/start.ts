import { type ChildProcess, spawn } from 'node:child_process';
import { Duplex, type Readable } from 'node:stream';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Launch, Launching } from './launch';
import type { ProcessEnd } from './process';

/** How long the end of the root may take to be reported after its tree is gone, in milliseconds. */
const REPORT_MS = 500;

export type Descriptor = number | 'ignore' | 'pipe' | 'ipc';

export interface Started {
  readonly child: ChildProcess;
  /** How the child itself ended. Its tree may live on. */
  readonly exit: Promise<ProcessEnd>;
  /** Ends the tree, and waits for the end of the child to be told. @returns the pids that could not be ended */
  end(): Promise<readonly number[]>;
}

export interface StartOptions {
  /** What the command is called, for messages. */
  readonly name: string;
  /** Once it is aborted, nothing is handed over any more. */
  readonly signal?: AbortSignal;
  /** To be done right before. */
  readonly prepare?: (launch: Launch) => Promise<void>;
}

type StartedChild = ChildProcess & { readonly pid: number };

/**
 * Starts what was planned, and hands it what it reads from descriptors of its own.
 * @param stdio its descriptors below those
 * @returns how it ended where it could not be started
 * @throws Error when it turns out that it must not run; nothing of it is left then
 */
export async function start(
  launching: Launching,
  stdio: readonly Descriptor[],
  options: StartOptions,
): Promise<Started | ProcessEnd> {
  try {
    return await startAndFeed(launching, stdio, options);
  } catch (error) {
    await launching.abandon?.();
    throw error;
  }
}

async function startAndFeed(launching: Launching, stdio: readonly Descriptor[], options: StartOptions) {
  await options.prepare?.(launching.launch);
  // Starting holds this thread up for a millisecond. What is being looked for goes on meanwhile, if it was asked for.
  await nextTurn();
  const child = spawnLaunch(launching.launch, stdio);
  const exit = exitOf(child, options.name);
  if (!isStarted(child)) return exit;
  const tree = launching.tree(child, reportsOf(child, launching.launch, stdio.length));
  tree.watch();
  const end = async (): Promise<readonly number[]> => {
    const { survivors } = await tree.end();
    if (!hasEnded(child)) await Promise.race([exit, delay(REPORT_MS)]);
    return survivors;
  };
  try {
    await feed(child, launching, { from: stdio.length, signal: options.signal });
  } catch (error) {
    await end();
    throw error;
  }
  return { child, exit, end };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

const isStarted = (child: ChildProcess): child is StartedChild => child.pid !== undefined;

function spawnLaunch(launch: Launch, stdio: readonly Descriptor[]): ChildProcess {
  const { file, argv0, args, cwd, environment, owner, reads, reports } = launch;
  const own = Array.from({ length: reads + (reports ? 1 : 0) }, () => 'pipe' as const);
  return spawn(file, args, {
    argv0,
    cwd,
    // Node would add this variable of the app's own environment where it is not named.
    env: { NODE_V8_COVERAGE: undefined, ...environment },
    shell: false,
    // A session and group of its own. On Windows it would be a console window of its own.
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: [...stdio, ...own],
    ...(owner ?? {}),
  });
}

function exitOf(child: ChildProcess, name: string): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      resolve({ type: 'not-started', message: `${name} cannot be started: ${error.message}.` });
    });
    child.once('exit', (exitCode, signal) => {
      if (exitCode !== null) resolve({ type: 'exited', exitCode });
      else resolve({ type: 'signalled', signal: signal ?? 'unknown' });
    });
  });
}

function reportsOf(child: StartedChild, { reads, reports }: Launch, from: number): Readable | null {
  return reports ? pipeOf(child, from + reads) : null;
}

async function feed(
  child: StartedChild,
  { launch, feeds }: Launching,
  { from, signal }: { readonly from: number; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const streams = Array.from({ length: launch.reads }, (_, index) => pipeOf(child, from + index));
  const [contents] = await Promise.all([feeds(), launch.beforeFeeds?.(child.pid)]);
  if (signal?.aborted === true) return;
  for (const [index, stream] of streams.entries()) stream.end(contents[index]);
}

/** @throws Error where there is none */
function pipeOf(child: StartedChild, fd: number): Duplex {
  const stream = child.stdio[fd];
  if (!(stream instanceof Duplex)) throw new Error(`Descriptor ${fd} is no pipe.`);
  // Who reads it and ends before it read everything says so itself.
  stream.on('error', () => stream.destroy());
  return stream;
}
