import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Readable } from 'node:stream';
import { OutputCapture } from './capture';
import { drained } from './drain';
import type { InheritedDescriptors } from './inherited-fds';
import type { Conclusion, Launcher, Launching } from './launch';
import { LiveOutput } from './live-output';
import { type OutputPipe, openOutputPipe, prepareOutputPipe } from './output-pipe';
import type { ProcessEnd, ProcessIo, ProcessResult, ProcessSpec } from './process';
import { type Descriptor, start } from './start';

/** setTimeout counts in 32 bits; this is 24 days. */
const MAX_TIMEOUT_MS = 2_147_483_647;

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

  /** @throws Error when the command cannot be started. */
  async run(launcher: Launcher, inherited: InheritedDescriptors): Promise<ProcessResult> {
    const nothing = openSync(devNull, 'r+');
    // Without FIFOs the child gets one pipe a descriptor, and the order between the two is only nearly kept.
    const pipe = windows ? null : await openOutputPipe().catch(() => null);
    let next: Promise<void> | null = null;
    try {
      const launching = await launcher.plan({ firstFd: inherited.firstFree, pipe: pipe?.path ?? null });
      if (this.io.signal.aborted) return await this.conclude(launching, { type: 'stopped' });
      const started = await start(launching, stdio(pipe, inherited.covered(nothing, launching.launch.channel)), {
        name: this.spec.argv[0],
        signal: this.io.signal,
        // Its own output can then be opened again by name.
        prepare: async ({ owner }) => (owner === null ? undefined : pipe?.writer.chown(owner.uid, owner.gid)),
      });
      if ('type' in started) return await this.conclude(launching, started);
      // Made while the command works.
      next = windows ? null : prepareOutputPipe();
      const streams = this.listen(started.child, pipe);
      await pipe?.writer.close();
      const end = await this.endOf(started.exit);
      const survivors = await started.end();
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
    survivors: readonly number[] = [],
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

/** No stdin, one output, and nothing behind the descriptors that the app itself inherited. */
function stdio(pipe: OutputPipe | null, covered: readonly Descriptor[]): Descriptor[] {
  const output = pipe?.writer.fd ?? 'pipe';
  return ['ignore', output, output, ...covered];
}
