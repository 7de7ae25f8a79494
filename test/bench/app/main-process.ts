import type { IntervalHistogram } from 'node:perf_hooks';
import type { SaysoApp } from '../../support/app';

interface Measured {
  delay: IntervalHistogram;
}

/** Starts to watch how long the main process keeps its event loop waiting. */
export async function watchMain(app: SaysoApp): Promise<void> {
  await app.electron.evaluate(() => {
    const hooks = process.mainModule?.require('node:perf_hooks') as typeof import('node:perf_hooks');
    const delay = hooks.monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    (globalThis as unknown as Measured).delay = delay;
  });
}

/** In milliseconds since it was asked last. What the watch itself waits for, one millisecond, is in it. */
export async function mainDelay(app: SaysoApp): Promise<string> {
  const [p99, max] = await app.electron.evaluate(() => {
    const { delay } = globalThis as unknown as Measured;
    const found = [delay.percentile(99) / 1e6, delay.max / 1e6];
    delay.reset();
    return found;
  });
  return `event loop of the main process: p99 ${p99?.toFixed(1)} ms, longest ${max?.toFixed(1)} ms`;
}
