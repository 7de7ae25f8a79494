import type { RunState } from '@shared/states';
import { Check, Ellipsis, Gauge, Hand, Hourglass, type LucideIcon, Play, Square, Unplug, X } from 'lucide-react';

interface Look {
  readonly word: string;
  /** For narrow places. */
  readonly short?: string;
  readonly tone: 'wait' | 'work' | 'ok' | 'bad' | 'stop';
  readonly icon: LucideIcon;
}

const LOOKS: Record<RunState, Look> = {
  starting: { word: 'Starting', tone: 'work', icon: Hourglass },
  thinking: { word: 'Thinking', tone: 'work', icon: Ellipsis },
  acting: { word: 'Acting', tone: 'work', icon: Play },
  waiting: { word: 'Waiting for you', short: 'Waiting', tone: 'wait', icon: Hand },
  completed: { word: 'Completed', tone: 'ok', icon: Check },
  stopped: { word: 'Stopped', tone: 'stop', icon: Square },
  failed: { word: 'Failed', tone: 'bad', icon: X },
  budget: { word: 'Limit reached', tone: 'stop', icon: Gauge },
  interrupted: { word: 'Interrupted', tone: 'stop', icon: Unplug },
};

export function lookOf(state: RunState): Look {
  return LOOKS[state];
}

/** The mark of a state: its colour and its icon. The word stands beside it, so this is hidden from screen readers. */
export function StateMark({ state }: { readonly state: RunState }) {
  const { tone, icon: Icon } = LOOKS[state];
  return (
    <span className={`mark ${tone}`} aria-hidden>
      <Icon size={9} strokeWidth={3} />
    </span>
  );
}
