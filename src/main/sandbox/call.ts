import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { OutputCapture } from './capture';
import { drained } from './drain';
import { commandFooting } from './footing';
import type { Conclusion, Launcher, Launching } from './launch';
import { LiveOutput } from './live-output';
import { type OutputPipe, prepareOutputPipe } from './output-pipe';
import type { ProcessEnd, ProcessIo, ProcessResult, ProcessSpec } from './process';
import { start } from './start';

/** setTimeout counts in 32 bits; this is 24 days. */
const MAX_TIMEOUT_MS = 2_147_483_647;

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
  async run(launcher: Launcher): Promise<ProcessResult> {
    const footing = await commandFooting();
    const { firstFd, pipe } = footing;
    let next: Promise<void> | null = null;
    try {
      const launching = await launcher.plan({ firstFd, pipe: pipe?.path ?? null });
      const { signal } = this.io;
      if (signal.aborted) return await this.conclude(launching, { type: 'stopped' });
      const started = await start(launching, footing, { name: this.spec.argv[0], signal });
      if ('type' in started) return await this.conclude(launching, started);
      // Made while the command works.
      next = prepareNext();
      const streams = this.listen(started.child, pipe);
      const end = await this.endOf(started.exit);
      const survivors = await started.end();
      await Promise.all(streams.map(drained));
      return await this.conclude(launching, end, survivors);
    } finally {
      await Promise.all([footing.close(), next]);
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

async function prepareNext(): Promise<void> {
  if (process.platform !== 'win32') await prepareOutputPipe();
}
