import { allAllowanceWords } from '@shared/allowances';
import type { GatedBy, Request, Settlement } from '@shared/requests';
import type { Denial } from '@shared/states';
import type { Mark } from './entry';

/** What a request said beside what it showed: why it asked, where, and what there was to know. */
export function requestFacts(request: Request): string[] {
  if (request.kind === 'question') {
    const { answer } = request;
    return answer.form === 'select' ? answer.options.map((option, index) => `${index + 1}. ${option}`) : [];
  }
  return [`why: ${whyGated(request.gatedBy)}`, `in: ${request.cwd}`, ...request.labels.map(({ text }) => text)];
}

function whyGated(gatedBy: GatedBy): string {
  if (gatedBy.because === 'tag') return `tag ${gatedBy.tag}`;
  if (gatedBy.because === 'wider') {
    const more = allAllowanceWords(gatedBy.allows);
    return `it ran and ended with exit code ${gatedBy.exitCode}; approved, it runs again and may also ${more}`;
  }
  return 'mode' in gatedBy ? `mode ${gatedBy.mode}` : gatedBy.because;
}

/** How a request ended, and after how long; each kind in its own words, as in the timeline. */
export function decisionWords({ outcome, by, reason, answer }: Settlement, afterMs: number): Mark {
  if (outcome !== 'approved') {
    const { tone, words } = denialWords(outcome);
    return { tone, words: `${words}${by === 'operator' ? own(reason) : ''}` };
  }
  if (by === 'grant') return { tone: 'plain', words: 'remembered' };
  const what = answer === undefined || answer.type === 'approve' ? 'approved' : 'answered';
  return { tone: 'ok', words: `${what} by you · ${tookWords(afterMs)}${own(reason)}` };
}

function own(words: string | undefined): string {
  return words === undefined || words === '' ? '' : ` · “${words}”`;
}

const DENIALS: Readonly<Record<Denial, Mark>> = {
  declined: { tone: 'bad', words: 'declined by you' },
  expired: { tone: 'stop', words: 'expired: nobody answered' },
  stopped: { tone: 'stop', words: 'not run: the run was stopped' },
  interrupted: { tone: 'stop', words: 'interrupted: no decision was made' },
  'no-operator': { tone: 'bad', words: 'refused: no operator to ask' },
  readonly: { tone: 'bad', words: 'refused: read-only' },
  failed: { tone: 'bad', words: 'not run: the approval failed' },
};

export function denialWords(outcome: Denial): Mark {
  return DENIALS[outcome];
}

/** "4 ms", "1.2 s", "3 min 5 s". */
export function tookWords(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1_000)} s`;
}
