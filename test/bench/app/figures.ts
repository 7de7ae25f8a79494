import type { Frames } from './probe';

/** The value below which so many of one lie. */
export function at(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}

export function spread(values: readonly number[]): string {
  const [median, p95, most] = [0.5, 0.95, 1].map((part) => at(values, part).toFixed(1).padStart(7));
  return `median ${median} ms   p95 ${p95} ms   longest ${most} ms   of ${values.length}`;
}

export function say(name: string, words: string): void {
  console.log(`  ${name.padEnd(40)} ${words}`);
}

/** Frames that took longer than one and a half of the display's own. */
export function dropped({ deltas }: Frames, displayMs: number): number {
  return deltas.filter((ms) => ms > 1.5 * displayMs).length;
}

export function frameWords(frames: Frames, displayMs: number): string {
  const { deltas, longTasks, gaps, blank, distance, rows } = frames;
  const counts = `dropped ${dropped(frames, displayMs)} of ${deltas.length}, gaps ${gaps}, blank ${blank}, long tasks ${longTasks.length}`;
  const mean = deltas.reduce((sum, ms) => sum + ms, 0) / deltas.length;
  const far = distance === 0 ? '' : `, ${Math.round(distance).toLocaleString('en')} px, ${rows} rows at most`;
  return `mean ${mean.toFixed(1)} ms, longest ${at(deltas, 1).toFixed(1)} ms, ${counts}${far}`;
}
