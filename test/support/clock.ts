import { vi } from 'vitest';

/**
 * Waits until the clock has reached a time. For the few rules that are about time itself, such as that waiting for the
 * operator is not counted: everything else waits for what it needs to see.
 * @param at in milliseconds since the epoch
 */
export function clockReaches(at: number): Promise<true> {
  return vi.waitUntil(() => Date.now() >= at, { interval: 10, timeout: 30_000 });
}
