import { useEffect } from 'react';
import { openDialog, useApp } from './store';

export function isMac(): boolean {
  return useApp.getState().info?.platform === 'darwin';
}

export function commandKey(): string {
  return isMac() ? '⌘' : 'Ctrl';
}

/** The panes that F6 goes through, in this order. */
const PANES = ['sessions', 'main', 'inbox'] as const;
const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), textarea, select, [tabindex="0"]';

function focusPane(by: 1 | -1): void {
  const current = document.activeElement?.closest<HTMLElement>('[data-pane]')?.dataset.pane;
  const at = PANES.indexOf(current as (typeof PANES)[number]);
  const start = at === -1 ? (by === 1 ? -1 : PANES.length) : at;
  for (let tried = 1; tried <= PANES.length; tried += 1) {
    const pane = PANES[(start + by * tried + PANES.length * 2) % PANES.length];
    const element = document.querySelector<HTMLElement>(`[data-pane="${pane}"]`);
    // In the inbox a card and in a session its message field, not a button: nobody should land on a decision.
    const target =
      element?.querySelector<HTMLElement>('[data-request], [data-land]') ??
      element?.querySelector<HTMLElement>(FOCUSABLE);
    if (target !== null && target !== undefined) {
      target.focus();
      return;
    }
  }
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select');
}

/** Keys that work anywhere in the window. Those that decide about a request work only in its card. */
export function useGlobalKeys(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.repeat || event.defaultPrevented || useApp.getState().dialog !== null) return;
      const command = event.ctrlKey || event.metaKey;
      const key = event.key.toLowerCase();
      if (command && key === 'k') openDialog('palette');
      else if (command && key === 'n' && !event.shiftKey) openDialog('new-run');
      else if (event.key === 'F6') focusPane(event.shiftKey ? -1 : 1);
      else if (event.key === '?' && !command && !isTyping(event.target)) openDialog('keys');
      else if (event.key === '/' && !command && !isTyping(event.target)) {
        document.querySelector<HTMLElement>('input[type="search"]')?.focus();
      } else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}
