import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BrokenStream } from '../../../src/main/models/anthropic-assembly';
import { ModelError } from '../../../src/main/models/model';
import { ReplyClock } from '../../../src/main/models/reply-clock';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new AbortController().signal;

test('an attempt that went silent has stalled, and may be made again', () => {
  const clock = new ReplyClock(10_000, never);
  clock.start();
  vi.advanceTimersByTime(4_000);
  clock.touch();
  vi.advanceTimersByTime(6_000);
  expect(clock.signal.aborted).toBe(true);
  expect(clock.verdict()).toEqual(new BrokenStream('nothing more came within 10 s'));
});

test('an attempt that was still coming was too long, and is not made again', () => {
  const clock = new ReplyClock(10_000, never);
  clock.start();
  vi.advanceTimersByTime(9_000);
  clock.touch();
  vi.advanceTimersByTime(1_000);
  expect(clock.verdict()).toEqual(new ModelError('the reply took longer than 10 s: raise limits.callTimeout'));
});

test('the wait before another attempt does not count, and every attempt has the whole time', () => {
  const clock = new ReplyClock(10_000, never);
  clock.start();
  vi.advanceTimersByTime(9_000);
  clock.pause();
  vi.advanceTimersByTime(60_000);
  clock.start();
  vi.advanceTimersByTime(9_999);
  expect(clock.verdict()).toBeNull();
  vi.advanceTimersByTime(1);
  expect(clock.signal.aborted).toBe(true);
});

test('stopping the run ends the attempt without a verdict', () => {
  const stop = new AbortController();
  const clock = new ReplyClock(10_000, stop.signal);
  clock.start();
  stop.abort();
  expect(clock.signal.aborted).toBe(true);
  expect(clock.verdict()).toBeNull();
});

test('a clock that was stopped neither fires nor listens', () => {
  const stop = new AbortController();
  const clock = new ReplyClock(10_000, stop.signal);
  clock.start();
  clock.stop();
  vi.advanceTimersByTime(20_000);
  stop.abort();
  expect(clock.signal.aborted).toBe(false);
});
