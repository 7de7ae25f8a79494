import type { ChildProcess } from 'node:child_process';
import { Duplex, type Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { hasEnded, isStarted, type StartedChild } from './child';
import type { Footing } from './footing';
import type { Launch, Launching } from './launch';
import type { ProcessEnd } from './process';

/** How long the end of the root may take to be reported after its tree is gone, in milliseconds. */
const REPORT_MS = 500;

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
}

/**
 * Starts what was planned, and hands it what it reads from descriptors of its own.
 * @param footing what it is started on
 * @returns how it ended where it could not be started
 * @throws Error when it turns out that it must not run; nothing of it is left then
 */
export async function start(
  launching: Launching,
  footing: Footing,
  options: StartOptions,
): Promise<Started | ProcessEnd> {
  try {
    return await startAndFeed(launching, footing, options);
  } catch (error) {
    await launching.abandon?.();
    throw error;
  }
}

async function startAndFeed(launching: Launching, footing: Footing, options: StartOptions) {
  const { child, exit } = await footing.launch(launching.launch, options.name);
  if (!isStarted(child)) return exit;
  const tree = launching.tree(child, reportsOf(child, launching.launch, footing.firstFd));
  tree.watch();
  const end = async (): Promise<readonly number[]> => {
    const { survivors } = await tree.end();
    if (!hasEnded(child)) await Promise.race([exit, delay(REPORT_MS)]);
    return survivors;
  };
  try {
    await feed(child, launching, { from: footing.firstFd, signal: options.signal });
  } catch (error) {
    await end();
    throw error;
  }
  return { child, exit, end };
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
