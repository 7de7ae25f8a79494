import type { JournalEvent } from '@shared/events';
import type { SandboxTier } from '@shared/states';
import type { Draft } from './draft';
import type { Entry } from './entries';
import { foldCall } from './fold-calls';
import { foldModel } from './fold-model';
import { openQuestion, settleQuestion } from './fold-questions';
import { foldRun } from './fold-runs';

export interface Folded {
  readonly entries: readonly Entry[];
  /** Of the last event that was folded; 0 before the first. */
  readonly lastSeq: number;
  readonly grants: ReadonlyMap<string, string>;
  readonly voided: ReadonlyMap<string, number>;
  readonly calls: ReadonlySet<string>;
  readonly runs: number;
  readonly sandbox: SandboxTier | null;
}

export const NOTHING_FOLDED: Folded = {
  entries: [],
  lastSeq: 0,
  grants: new Map(),
  voided: new Map(),
  calls: new Set(),
  runs: 0,
  sandbox: null,
};

/**
 * The timeline after more events of one session, in order. Pure, and cheap for a small batch: entries that did not
 * change are the same objects as before. Events that were folded already are passed over.
 */
export function fold(before: Folded, events: readonly JournalEvent[]): Folded {
  const draft: Draft = {
    entries: before.entries.slice(),
    grants: new Map(before.grants),
    voided: new Map(before.voided),
    calls: new Set(before.calls),
    runs: before.runs,
    sandbox: before.sandbox,
  };
  let lastSeq = before.lastSeq;
  for (const event of events) {
    if (event.seq <= lastSeq) continue;
    lastSeq = event.seq;
    foldOne(draft, event);
  }
  return lastSeq === before.lastSeq ? before : { ...draft, lastSeq };
}

function foldOne(draft: Draft, event: JournalEvent): void {
  const { body } = event;
  switch (body.type) {
    case 'model_started':
    case 'model_delta':
    case 'model_retry':
    case 'assistant_message':
    case 'compacting':
    case 'compacted':
      foldModel(draft, event, body);
      break;
    case 'request_opened':
      if (body.request.kind === 'question') openQuestion(draft, event, body.request);
      else foldCall(draft, event, body);
      break;
    case 'request_settled':
      if (!settleQuestion(draft, body)) foldCall(draft, event, body);
      break;
    case 'call_started':
    case 'call_refused':
    case 'call_output':
    case 'call_result':
    case 'tool_denied':
      foldCall(draft, event, body);
      break;
    case 'user_message':
    case 'run_started':
    case 'run_ended':
    case 'notice':
    case 'grant_given':
    case 'grant_used':
    case 'grant_revoked':
      foldRun(draft, event, body);
      break;
    case 'run_state':
      break;
  }
}
