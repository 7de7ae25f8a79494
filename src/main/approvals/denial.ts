import type { Settlement } from '@shared/requests';
import type { Denial } from '@shared/states';

/** A call that was not carried out, as the journal keeps it and as the model is told. */
export interface DenialText {
  readonly outcome: Denial;
  readonly reason: string;
}

const FINAL = 'This is final: do not retry the call and do not work around it by other means.';

/** What is said of a denial beyond its outcome. */
export interface DenialDetails {
  /** The operator's own reason, where they gave one: only what a person said is put into their mouth. */
  readonly words?: string | undefined;
  /** The app's own explanation. */
  readonly note?: string | undefined;
  /** The call had started in an earlier run and has no result, so nobody can say that it did not run. */
  readonly mayHaveRun?: boolean | undefined;
}

/** What is said of a denial that a settlement makes. */
export function detailsOf({ by, reason }: Pick<Settlement, 'by' | 'reason'>): DenialDetails {
  return by === 'operator' ? { words: reason } : { note: reason };
}

/**
 * What the model is told of a denial. The beginnings are fixed texts (semantics: the gate); an expiry is never worded as
 * an operator's decision.
 */
export function denial(tool: string, outcome: Denial, limitMs: number, details: DenialDetails = {}): DenialText {
  const { words = '', note = '', mayHaveRun = false } = details;
  const parts = [
    `${beginning(tool, outcome, limitMs, mayHaveRun)}.`,
    ...(note.trim() === '' ? [] : [note.trim()]),
    ...(mayHaveRun ? ['It had started before, and may have run.'] : []),
    FINAL,
    ...(words.trim() === '' ? [] : [`The operator's words: ${words.trim()}`]),
  ];
  return { outcome, reason: parts.join(' ') };
}

function beginning(tool: string, outcome: Denial, limitMs: number, mayHaveRun: boolean): string {
  switch (outcome) {
    case 'no-operator':
      return `Denied: ${tool} needs approval and no approver is wired to this run`;
    case 'declined':
      return `Denied: the operator declined ${tool}`;
    case 'readonly':
      return `Denied: ${tool} can change state and this run is in readonly mode`;
    case 'expired':
      return `Denied: nobody answered the request for ${tool} within the limit of ${Math.round(limitMs / 1000)} s`;
    case 'stopped':
      return mayHaveRun
        ? `Denied: the run was stopped before anyone said what is to happen with ${tool}`
        : `Denied: the run was stopped before ${tool} was started`;
    case 'interrupted':
      return `Denied: the app was closed before ${tool} was decided`;
    case 'failed':
      return `Denied: ${tool} could not be put to the operator`;
  }
}

/** The result of a denied call, word for word: an ordinary result, not an error, because nothing about it is to be fixed. */
export function denialContent({ outcome, reason }: DenialText): string {
  return JSON.stringify({ allowed: false, outcome, reason });
}
