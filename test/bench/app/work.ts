import type { Page } from '@playwright/test';

/** Milliseconds that the window's main thread worked, without what other programs took of the machine meanwhile. */
export interface Work {
  readonly all: number;
  readonly script: number;
  readonly style: number;
  readonly layout: number;
}

/** Does something, and says what it cost the window's main thread. */
export async function workOf<T>(
  page: Page,
  act: () => Promise<T>,
): Promise<{ readonly work: Work; readonly value: T }> {
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  const now = async () => {
    const { metrics } = await client.send('Performance.getMetrics');
    return (name: string) => 1_000 * (metrics.find((metric) => metric.name === name)?.value ?? Number.NaN);
  };
  const before = await now();
  const value = await act();
  const after = await now();
  await client.detach();
  const spent = (name: string) => after(name) - before(name);
  const work = {
    all: spent('TaskDuration'),
    script: spent('ScriptDuration'),
    style: spent('RecalcStyleDuration'),
    layout: spent('LayoutDuration'),
  };
  return { work, value };
}

export function workWords({ all, script, style, layout }: Work, frames: number): string {
  const each = [all, script, style, layout].map((ms) => (ms / frames).toFixed(1));
  return `work a frame ${each[0]} ms (script ${each[1]}, style ${each[2]}, layout ${each[3]})`;
}
