import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { Duplex, type Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { OutputCapture } from './capture';
import { drained } from './drain';
import { InheritedDescriptors } from './inherited-fds';
import type { Conclusion, Launch, Launcher, Launching } from './launch';
import { LiveOutput } from './live-output';
import { type OutputPipe, openOutputPipe, prepareOutputPipe } from './output-pipe';
import type { ProcessEnd, ProcessIo, ProcessResult, ProcessSpec } from './process';
import type { TreeEnd } from './process-tree';

/** setTimeout counts in 32 bits; this is 24 days. */
const MAX_TIMEOUT_MS = 2_147_483_647;
/** How long the end of the root may take to be reported after its tree is gone, in milliseconds. */
const REPORT_MS = 500;

const windows = process.platform === 'win32';

/** One process from its start until nothing of its tree is left. */
export class Call {
  private readonly capture = new OutputCapture();
  private readonly live: LiveOutput;
  private readonly began = performance.now();

  constructor(
    private readonly spec: Pick<ProcessSpec, 'argv' | 'timeoutMs'>,
    private readonly io: ProcessIo,
  ) {
    this.live = new LiveOutput(io.onOutput);
  }

  /** @throws Error when the launcher cannot start the command. */
  async run(launcher: Launcher): Promise<ProcessResult> {
    const nothing = openSync(devNull, 'r+');
    // Without FIFOs the child gets one pipe a descriptor, and the order between the two is only nearly kept.
    const pipe = windows ? null : await openOutputPipe().catch(() => null);
    let next: Promise<void> | null = null;
    try {
      const descriptors = new InheritedDescriptors();
      const launching = await launcher.plan({ firstFd: () => descriptors.firstFree, pipe: pipe?.path ?? null });
      const { all: inherited, firstFree: firstFd } = descriptors;
      const { launch } = launching;
      if (this.io.signal.aborted) return await this.conclude(launching, { type: 'stopped' });
      // Its own output can then be opened again by name.
      if (launch.owner !== null) await pipe?.writer.chown(launch.owner.uid, launch.owner.gid);
      const child = spawnLaunch(launch, stdio(pipe, nothing, inherited));
      const exit = exitOf(child, this.spec.argv[0]);
      // Made while the command works.
      next = windows ? null : prepareOutputPipe();
      const streams = this.listen(child, pipe);
      if (!isStarted(child)) return await this.conclude(launching, await exit);
      const tree = launching.tree(child, handOver(child, launch, firstFd));
      tree.watch();
      await pipe?.writer.close();
      const end = await this.endOf(exit);
      const { survivors } = await tree.end();
      await Promise.race([exit, delay(REPORT_MS)]);
      await Promise.all(streams.map(drained));
      return await this.conclude(launching, end, survivors);
    } finally {
      closeSync(nothing);
      await Promise.all([pipe?.writer.close(), next]);
      pipe?.reader.destroy();
    }
  }

  private listen(child: ChildProcess, pipe: OutputPipe | null): readonly Readable[] {
    const streams = pipe ? [pipe.reader] : [child.stdout, child.stderr].filter((stream) => stream !== null);
    for (const stream of streams) {
      stream.on('data', (chunk: Buffer) => {
        this.capture.push(chunk);
        this.live.push(chunk);
      });
      // A pipe that breaks is the end of the output; how the process ended is told by the process.
      stream.on('error', () => stream.destroy());
    }
    return streams;
  }

  /** What ends the call first: the process itself, its time, or the operator. */
  private async endOf(exit: Promise<ProcessEnd>): Promise<ProcessEnd> {
    const { signal } = this.io;
    let timer: NodeJS.Timeout | undefined;
    let stop = (): void => undefined;
    const cut = new Promise<ProcessEnd>((resolve) => {
      timer = setTimeout(() => resolve({ type: 'timed-out' }), Math.min(this.spec.timeoutMs, MAX_TIMEOUT_MS));
      stop = () => resolve({ type: 'stopped' });
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
    });
    const end = await Promise.race([exit, cut]);
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    return end;
  }

  private async conclude(
    launching: Launching,
    end: ProcessEnd,
    survivors: TreeEnd['survivors'] = [],
  ): Promise<ProcessResult> {
    this.live.end();
    const { text, truncated } = this.capture.result();
    const known: Conclusion = (await launching.conclude?.(end, text)) ?? { end, notes: [] };
    const { notes, refused = [] } = known;
    const note = survivors.length === 0 ? '' : `\n[These processes could not be ended: ${survivors.join(', ')}]\n`;
    return {
      end: known.end,
      output: text + note,
      truncated,
      durationMs: Math.round(performance.now() - this.began),
      ...(notes.length === 0 ? {} : { notes }),
      ...(refused.length === 0 ? {} : { refused }),
    };
  }
}

export type StartedChild = ChildProcess & { readonly pid: number };

export const isStarted = (child: ChildProcess): child is StartedChild => child.pid !== undefined;

export function spawnLaunch(launch: Launch, stdio: (number | 'ignore' | 'pipe')[]): ChildProcess {
  const { file, argv0, args, cwd, environment, owner, feeds, reports } = launch;
  const own = [...feeds, ...(reports ? [null] : [])].map(() => 'pipe' as const);
  return spawn(file, args, {
    argv0,
    cwd,
    // Node would add this variable of the app's own environment where it is not named.
    env: { NODE_V8_COVERAGE: undefined, ...environment },
    shell: false,
    // A session and group of its own. On Windows it would be a console window of its own.
    detached: !windows,
    windowsHide: true,
    stdio: [...stdio, ...own],
    ...(owner ?? {}),
  });
}

/** Hands the launch what it reads from descriptors of its own. Gives what it reports on, where it does. */
export function handOver(child: StartedChild, launch: Launch, firstFd: number): Readable | null {
  const { feeds, reports } = launch;
  const ready = launch.beforeFeeds?.(child.pid) ?? Promise.resolve();
  for (const [index, feed] of feeds.entries()) {
    const stream = child.stdio[firstFd + index];
    if (!(stream instanceof Duplex)) throw new Error(`Descriptor ${firstFd + index} is no pipe.`);
    // A launch that ended before it read everything says so itself.
    stream.on('error', () => stream.destroy());
    void ready.then(() => stream.end(feed));
  }
  const report = reports ? child.stdio[firstFd + feeds.length] : null;
  if (!(report instanceof Duplex)) return null;
  report.on('error', () => report.destroy());
  return report;
}

/** No stdin, one output, and nothing behind the descriptors that the app itself inherited. */
function stdio(pipe: OutputPipe | null, nothing: number, inherited: readonly number[]): (number | 'ignore' | 'pipe')[] {
  const output = pipe?.writer.fd ?? 'pipe';
  const descriptors: (number | 'ignore' | 'pipe')[] = ['ignore', output, output];
  for (let fd = 3; fd <= Math.max(...inherited); fd++) descriptors.push(inherited.includes(fd) ? nothing : 'ignore');
  return descriptors;
}

export function exitOf(child: ChildProcess, name: string): Promise<ProcessEnd> {
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
