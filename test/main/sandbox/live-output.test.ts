import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LIVE_INTERVAL_MS, LiveOutput } from '../../../src/main/sandbox/live-output';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function live() {
  const reports: [string, number][] = [];
  return { reports, output: new LiveOutput((text, total) => reports.push([text, total])) };
}

describe('live output', () => {
  it('joins what arrives together, and holds back half a character', () => {
    const { reports, output } = live();
    output.push(Buffer.from('a'));
    output.push(Buffer.from([0x62, 0xe2, 0x82]));
    vi.advanceTimersByTime(LIVE_INTERVAL_MS);
    output.push(Buffer.from([0xac]));
    vi.advanceTimersByTime(LIVE_INTERVAL_MS);
    expect(reports).toEqual([
      ['ab', 4],
      ['€', 5],
    ]);
  });

  it('reports nothing after its end, and half a character at the end as U+FFFD', () => {
    const { reports, output } = live();
    output.push(Buffer.from([0x61, 0xc3]));
    output.end();
    output.end();
    vi.advanceTimersByTime(10_000);
    expect(reports).toEqual([['a\ufffd', 2]]);
  });

  it('only counts beyond the limit of text, and seldom', () => {
    const { reports, output } = live();
    for (let i = 0; i < 1_000; i++) {
      output.push(Buffer.alloc(1_000, 'x'));
      vi.advanceTimersByTime(10);
    }
    output.end();
    expect(reports.map(([text]) => text).join('')).toBe('x'.repeat(65_536));
    expect(reports.at(-1)).toEqual(['', 1_000_000]);
    expect(reports.length).toBeLessThan(40);
  });

  it('never reports half of a character where the limit cuts it', () => {
    const { reports, output } = live();
    output.push(Buffer.from(`x${'€'.repeat(30_000)}`));
    output.end();
    const text = reports.map(([part]) => part).join('');
    expect(text).toBe(`x${'€'.repeat(21_845)}`);
    expect(reports.at(-1)?.[1]).toBe(90_001);
  });
});
