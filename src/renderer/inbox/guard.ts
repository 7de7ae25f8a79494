import { type KeyboardEvent, type MouseEvent, useEffect, useState } from 'react';
import { leaveControls } from './navigate';

/** How long a card must have been there before its buttons work: nobody means to press what only just appeared. */
const ARM_MS = 500;

export function useArmed(): boolean {
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), ARM_MS);
    return () => clearTimeout(timer);
  }, []);
  return armed;
}

/** A key held down presses a button once, not again and again. */
export function ignoreRepeats(event: KeyboardEvent): void {
  if (event.repeat) event.preventDefault();
}

/** A click that decides. One with the keyboard has no click count. */
export function clicked(requestId: string, decide: () => void): (event: MouseEvent) => void {
  return (event) => {
    decide();
    leaveControls(requestId, event.detail === 0 ? 'keyboard' : 'pointer');
  };
}
