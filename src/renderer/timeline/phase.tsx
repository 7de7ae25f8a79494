import type { Denial } from '@shared/states';
import { Ban, Check, Clock, Hand, type LucideIcon, Minus, ShieldAlert, Square, Unplug, X } from 'lucide-react';
import { took } from '../ui/format';
import { oneLine } from '../ui/text';
import type { CallEntry, CallPhase } from './entries';

export interface Look {
  readonly icon: LucideIcon | 'spinner';
  readonly tone: 'plain' | 'wait' | 'work' | 'ok' | 'bad' | 'stop';
  /** Empty where the icon and the duration say it: a call that simply worked. */
  readonly words: string;
}

/** What became of a call that did not run. Each kind in its own words; only a decline is the operator's decision. */
export function denialWords(outcome: Denial, words: string): string {
  const own = words === '' ? '' : ` · “${oneLine(words)}”`;
  switch (outcome) {
    case 'declined':
      return `declined by you${own}`;
    case 'expired':
      return 'expired: nobody answered';
    case 'stopped':
      return 'not run: the run was stopped';
    case 'interrupted':
      return 'interrupted: no decision was made';
    case 'no-operator':
      return 'refused: no operator to ask';
    case 'readonly':
      return 'refused: read-only';
    case 'failed':
      return 'not run: the approval failed';
  }
}

const DENIAL_LOOKS: Readonly<Record<Denial, Pick<Look, 'icon' | 'tone'>>> = {
  declined: { icon: X, tone: 'bad' },
  expired: { icon: Clock, tone: 'stop' },
  stopped: { icon: Square, tone: 'stop' },
  interrupted: { icon: Unplug, tone: 'stop' },
  'no-operator': { icon: Ban, tone: 'bad' },
  readonly: { icon: Ban, tone: 'bad' },
  failed: { icon: X, tone: 'bad' },
};

export function phaseLook(phase: CallPhase): Look {
  switch (phase.is) {
    case 'queued':
      return { icon: Minus, tone: 'plain', words: '' };
    case 'waiting':
      return { icon: Hand, tone: 'wait', words: 'waiting for you' };
    case 'running':
      return { icon: 'spinner', tone: 'work', words: 'running' };
    case 'refused':
      return { icon: ShieldAlert, tone: 'stop', words: 'the sandbox refused it something' };
    case 'ok':
      return { icon: Check, tone: 'ok', words: '' };
    case 'error':
      return { icon: X, tone: 'bad', words: 'error' };
    case 'invalid':
      return { icon: Ban, tone: 'bad', words: 'invalid: nothing ran' };
    case 'denied':
      return { ...DENIAL_LOOKS[phase.outcome], words: denialWords(phase.outcome, phase.words) };
    case 'lost':
      return { icon: Unplug, tone: 'bad', words: 'no result: it may have run' };
    case 'unstarted':
      return { icon: Minus, tone: 'stop', words: 'never started' };
  }
}

/** How it came to run, where somebody had to say so. */
export function allowedWords(allowed: CallEntry['allowed']): string | null {
  if (allowed === null || allowed.by === 'ungated') return null;
  if (allowed.by === 'grant') return 'remembered';
  return allowed.afterMs > 0 ? `approved by you · ${took(allowed.afterMs)}` : 'approved by you';
}
