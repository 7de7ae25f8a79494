import { useSyncExternalStore } from 'react';

// One interval for all the times on screen, so that they change together and an idle window wakes up once a second.
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | null = null;

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === null) {
    now = Date.now();
    timer = setInterval(tick, 1_000);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  };
}

/** The present in milliseconds, fresh once a second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
