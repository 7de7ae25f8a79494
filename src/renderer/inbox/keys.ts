import { type RefObject, useEffect, useRef } from 'react';
import { leaveControls } from './navigate';

interface Decisions {
  readonly approve?: () => void;
  readonly decline?: () => void;
}

/**
 * The keys of one card, only while the focus is in it: A approves, D declines, and Enter declines wherever it does not
 * belong to a control of its own. A key held down does nothing.
 */
export function useDecisionKeys(requestId: string, decisions: Decisions): RefObject<HTMLElement | null> {
  const inside = useRef<HTMLElement>(null);
  const current = useRef(decisions);
  useEffect(() => {
    current.current = decisions;
  });

  useEffect(() => {
    const card = inside.current?.closest<HTMLElement>('[data-request]') ?? null;
    if (card === null) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      const decision = decisionOf(event, card);
      if (decision === null) return;
      event.preventDefault();
      const decide = current.current[decision];
      if (decide === undefined) return;
      decide();
      leaveControls(requestId, 'keyboard');
    };
    card.addEventListener('keydown', onKeyDown);
    return () => card.removeEventListener('keydown', onKeyDown);
  }, [requestId]);
  return inside;
}

function decisionOf(event: KeyboardEvent, card: HTMLElement): keyof Decisions | null {
  const target = event.target instanceof HTMLElement ? event.target : card;
  if (event.key === 'Enter') return target === card || target.dataset.enter === 'decline' ? 'decline' : null;
  if (target.matches('input, textarea, select')) return null;
  if (event.key === 'a' || event.key === 'A') return 'approve';
  return event.key === 'd' || event.key === 'D' ? 'decline' : null;
}
