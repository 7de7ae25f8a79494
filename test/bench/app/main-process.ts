import type { SaysoApp } from '../../support/app';

interface Watch {
  readonly stretches: { readonly waited: number; readonly worked: number }[];
}

/** Starts to watch for how long the main process keeps its event loop, every two milliseconds. */
export async function watchMain(app: SaysoApp): Promise<void> {
  await app.electron.evaluate(() => {
    const fs = process.mainModule?.require('node:fs') as typeof import('node:fs');
    /** What the thread itself has worked, in milliseconds: without what other programs took of the machine. */
    const worked = () => {
      try {
        return Number(fs.readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
      } catch {
        return performance.now();
      }
    };
    const watch: Watch = { stretches: [] };
    let before = { at: performance.now(), work: worked() };
    setInterval(() => {
      const now = { at: performance.now(), work: worked() };
      watch.stretches.push({ waited: now.at - before.at, worked: now.work - before.work });
      before = now;
    }, 2);
    Object.assign(globalThis, { watch });
  });
}

/** Since it was asked last. */
export async function mainDelay(app: SaysoApp): Promise<string> {
  const [waited = [], worked = []] = await app.electron.evaluate(() => {
    const { watch } = globalThis as unknown as { watch: Watch };
    const found = watch.stretches.splice(0);
    return [found.map((one) => one.waited), found.map((one) => one.worked)];
  });
  const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), 0).toFixed(1);
  const long = worked.filter((ms) => ms > 16).length;
  return `main process: longest stretch of work ${most(worked)} ms, ${long} over 16 ms; its event loop waited ${most(waited)} ms at most`;
}
