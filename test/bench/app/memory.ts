import { readFileSync } from 'node:fs';
import type { SaysoApp } from '../../support/app';

/** In MiB: what a process has written and shares with none, and all that is in memory for it. */
export interface Held {
  readonly own: number;
  readonly resident: number;
}

export interface Memory {
  readonly main: Held;
  readonly window: Held;
}

/** Of the main process and of the window's, after both have collected their garbage. */
export async function memoryOf(app: SaysoApp): Promise<Memory> {
  const page = await app.page.context().newCDPSession(app.page);
  // What is let go of by one collection is collected by the next.
  for (let round = 0; round < 3; round += 1) {
    await app.electron.evaluate(() => (globalThis as unknown as { gc: () => void }).gc());
    await page.send('HeapProfiler.collectGarbage');
  }
  await page.detach();
  const metrics = await app.electron.evaluate(({ app: electron }) =>
    electron.getAppMetrics().map(({ pid, type, memory }) => ({ pid, type: type as string, kb: memory.workingSetSize })),
  );
  const of = (type: string): Held => {
    const found = metrics.find((metric) => metric.type === type);
    if (found === undefined) throw new Error(`there is no process ${type}`);
    return { own: ownMemory(found.pid) ?? found.kb / 1024, resident: found.kb / 1024 };
  };
  return { main: of('Browser'), window: of('Tab') };
}

/** Null where the system does not tell. */
function ownMemory(pid: number): number | null {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const kb = [...text.matchAll(/^Private_Dirty: +(\d+) kB$/gm)].map(([, size]) => Number(size));
    return kb.reduce((sum, size) => sum + size, 0) / 1024;
  } catch {
    return null;
  }
}

export function memoryWords({ main, window }: Memory, small?: Memory): string {
  const kinds = (['own', 'resident'] as const).map((kind) => {
    const both = main[kind] + window[kind];
    const ratio = small === undefined ? '' : ` = x ${(both / (small.main[kind] + small.window[kind])).toFixed(2)}`;
    return `${kind}: main ${main[kind].toFixed(0)} + window ${window[kind].toFixed(0)} MiB${ratio}`;
  });
  return kinds.join('   ');
}
