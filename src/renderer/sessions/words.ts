import type { Removal } from '@shared/sessions';
import type { ApprovalMode } from '@shared/states';
import { bytes, plural } from '../ui/format';
import { visible } from '../ui/text';

export const MODE_WORDS: Readonly<Record<ApprovalMode, { chip: string; option: string; explanation: string }>> = {
  ask: {
    chip: 'asks first',
    option: 'Ask before anything that can change things',
    explanation: 'Mode ask: every call that can change something waits for your approval',
  },
  auto: {
    chip: 'runs by itself',
    option: 'Run by itself (tagged commands still ask)',
    explanation: 'Mode auto: calls run without asking, except commands that are tagged for confirmation',
  },
  readonly: {
    chip: 'read-only',
    option: 'Read only: refuse whatever can change things',
    explanation: 'Mode readonly: every call that can change something is refused, and nobody is asked',
  },
};

/** How a run is described that simply came to its end. Beside "Completed" it is one word too many. */
const NOTHING_TO_ADD = 'done';

export function saysMore(detail: string): boolean {
  return detail !== '' && detail !== NOTHING_TO_ADD;
}

/** What deleting takes away, in words. */
export function removalWords({ sessions, events, bytes: size, auditRows }: Removal): string {
  const decisions =
    auditRows === 0 ? '' : ` Of ${plural(auditRows, 'decision')} the audit keeps nothing but a hash, and still holds.`;
  return `${plural(sessions, 'session')} with ${plural(events, 'entry', 'entries')} (${bytes(size)}) would go.${decisions}`;
}

/** What holds a copy of it all the same, one sentence each; copies that the operator made may be anywhere. */
export function stayWords({ forks, aside }: Pick<Removal, 'forks' | 'aside'>): string[] {
  const made = 'Exports and backups that you made are not touched.';
  return [
    ...(forks === 0
      ? []
      : [
          forks === 1
            ? '1 fork keeps a copy of what it took over, and its title.'
            : `${forks} forks keep a copy of what they took over, and their titles.`,
        ]),
    made,
    ...(aside.length === 0
      ? []
      : [
          `${plural(aside.length, 'older store')} in the data folder may hold it, too: ${aside.map(visible).join(', ')}.`,
        ]),
  ];
}

const HIT_WORDS: Readonly<Record<string, string>> = {
  user_message: 'you',
  assistant_message: 'agent',
  request_opened: 'asked',
  request_settled: 'decided',
  call_started: 'ran',
  call_result: 'not run',
  tool_denied: 'denied',
};

/** The kind of event that a search found. */
export function hitWords(type: string): string {
  return HIT_WORDS[type] ?? type;
}
