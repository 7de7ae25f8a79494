import type { EventOf, JournalEvent } from '@shared/events';
import type { QuestionRequest } from '@shared/requests';
import type { Draft } from './draft';
import { findLast, place } from './draft';
import type { QuestionEntry } from './entries';

/** A question takes the place of its call, and of the same question asked before an interruption. */
export function openQuestion(draft: Draft, event: JournalEvent, request: QuestionRequest): void {
  const before = findLast(
    draft,
    ['call', 'question'],
    // A tool that asks while it runs is not itself the question.
    (entry) => entry.callId === request.callId && (entry.kind === 'question' || entry.phase.is !== 'running'),
  );
  const entry: QuestionEntry = {
    kind: 'question',
    key: before?.entry.key ?? `question:${request.id}`,
    at: event.at,
    runId: event.runId,
    callId: request.callId,
    tool: request.tool,
    requestId: request.id,
    question: request.question,
    form: request.answer,
    expiresAt: request.expiresAt,
    settled: null,
  };
  place(draft, before?.index ?? null, entry, event);
}

/** Returns false for a settlement that is not a question's. */
export function settleQuestion(draft: Draft, body: EventOf<'request_settled'>): boolean {
  const open = findLast(draft, ['question'], (entry) => entry.requestId === body.requestId);
  if (open === null) return false;
  const settled = { settlement: body.settlement, afterMs: body.afterMs };
  draft.entries[open.index] = { ...open.entry, settled };
  return true;
}
