import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';
import { devNull } from 'node:os';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { OutputCapture } from './capture';
import { drained } from './drain';
import { inheritedDescriptors } from './inherited-fds';
import { LiveOutput } from './live-output';
import { type OutputPipe, openOutputPipe } from './output-pipe';
import type { ProcessEnd, ProcessIo, ProcessResult, ProcessSpec } from './process';
import { processTable } from './process-table';
import { ProcessTree, type TreeEnd } from './process-tree';
import { WindowsTree } from './windows-tree';

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
    private readonly spec: ProcessSpec,
    private readonly io: ProcessIo,
  ) {
    this.live = new LiveOutput(io.onOutput);
  }

  /**
   * @param program the absolute path of what to start; the child still sees the name that it was called by.
   * @param mark `NAME=value` in the environment that tells the tree.
   */
  async run(program: string, mark: string): Promise<ProcessResult> {
    const table = processTable();
    const before = (await table?.pids()) ?? new Set<number>();
    // Without FIFOs the child gets one pipe a descriptor, and the order between the two is only nearly kept.
    const inherited = await inheritedDescriptors();
    const nothing = await open(devNull, 'r+');
    // Without FIFOs the child gets one pipe a descriptor, and the order between the two is only nearly kept.
    const pipe = windows ? null : await openOutputPipe().catch(() => null);
    try {
      if (this.io.signal.aborted) return this.result({ type: 'stopped' });
      const child = this.spawn(program, stdio(pipe, nothing, inherited));
      const exit = exitOf(child, this.spec.argv[0]);
      const streams = this.listen(child, pipe);
      if (child.pid === undefined) return this.result(await exit);
      const tree = table
        ? new ProcessTree(table, { environment: mark, pipe: pipe?.path ?? null }, { pid: child.pid, before })
        : new WindowsTree(child.pid);
      tree.watch();
      await pipe?.writer.close();
      const end = await this.endOf(exit);
      const { survivors } = await tree.end();
      await Promise.race([exit, delay(REPORT_MS)]);
      await Promise.all(streams.map(drained));
      return this.result(end, survivors);
    } finally {
      await Promise.all([nothing.close(), pipe?.writer.close()]);
      pipe?.reader.destroy();
    }
  }

  private spawn(program: string, stdio: StdioOptions): ChildProcess {
    const { argv, cwd, environment } = this.spec;
    return spawn(program, argv.slice(1), {
      argv0: argv[0],
      cwd,
      // Node would add this variable of the app's own environment where it is not named.
      env: { NODE_V8_COVERAGE: undefined, ...environment },
      shell: false,
      // A session and group of its own. On Windows it would be a console window of its own.
      detached: !windows,
      windowsHide: true,
      stdio,
    });
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

  private result(end: ProcessEnd, survivors: TreeEnd['survivors'] = []): ProcessResult {
    this.live.end();
    const { text, truncated } = this.capture.result();
    const note = survivors.length === 0 ? '' : `\n[These processes could not be ended: ${survivors.join(', ')}]\n`;
    return { end, output: text + note, truncated, durationMs: Math.round(performance.now() - this.began) };
  }
}

/** No stdin, one output, and nothing behind the descriptors that the app itself inherited. */
function stdio(pipe: OutputPipe | null, nothing: FileHandle, inherited: readonly number[]): StdioOptions {
  const output = pipe?.writer.fd ?? 'pipe';
  const descriptors: ('ignore' | 'pipe' | number)[] = ['ignore', output, output];
  for (let fd = 3; fd <= Math.max(...inherited); fd++) descriptors.push(inherited.includes(fd) ? nothing.fd : 'ignore');
  return descriptors;
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
