import type { EventOf, JournalEvent } from '../../src/shared/events';
import type { Answer } from '../../src/shared/requests';
import { AGAIN, stepOfCall } from './script';

type Started = EventOf<'call_started'>;

/**
 * What ran, as the commands themselves wrote it down, against what the journal says was allowed.
 * @param ledger the steps that were begun, each as often as it was
 * @param declined the steps that the operator declines
 */
export function checkLedger(
  ledger: readonly number[],
  events: readonly JournalEvent[],
  declined: readonly number[],
): string[] {
  const starts = new Map<number, Started[]>();
  for (const { body } of events) {
    if (body.type !== 'call_started') continue;
    const step = stepOfCall(body);
    starts.set(step, [...(starts.get(step) ?? []), body]);
  }
  const steps = new Set([...ledger, ...starts.keys()]);
  return [...steps].flatMap((step) => {
    const ran = ledger.filter((other) => other === step).length;
    const started = starts.get(step) ?? [];
    const allowed = 1 + again(events, started);
    return [
      ...(ran > started.length ? [`step ${step} ran ${ran} times, and started ${started.length} times on record`] : []),
      ...(started.length > allowed
        ? [`step ${step} was started ${started.length} times, with the operator's word for ${allowed}`]
        : []),
      ...(declined.includes(step) ? [`step ${step} was declined, and started`] : []),
      ...unallowed(events, started).map((what) => `step ${step} ${what}`),
    ];
  });
}

/** How often the operator said that a call shall run again: one that may have run, or one that the sandbox refused. */
function again(events: readonly JournalEvent[], [first]: readonly Started[]): number {
  const wider = new Set(
    events.flatMap(({ body }) =>
      body.type === 'request_opened' && body.request.kind === 'approval' && body.request.gatedBy.because === 'wider'
        ? [body.request.id]
        : [],
    ),
  );
  return events.filter(({ body }) => {
    if (body.type !== 'request_settled' || body.callId !== first?.callId || body.settlement.by !== 'operator')
      return false;
    const { answer } = body.settlement;
    return answer?.type === 'select'
      ? answer.selected === AGAIN
      : answer?.type === 'approve' && wider.has(body.requestId);
  }).length;
}

/** Every start needs what it says allowed it, on record before it. */
function unallowed(events: readonly JournalEvent[], started: readonly Started[]): string[] {
  return started.flatMap((start, index) => {
    const before = events
      .slice(
        0,
        events.findIndex(({ body }) => body === start),
      )
      .map(({ body }) => body);
    if (start.allowedBy === 'ungated') return start.tool === 'look' ? [] : ['started without being asked about'];
    if (start.allowedBy === 'grant') {
      const given = before.some((body) => body.type === 'grant_given' && body.grant.id === start.grantId);
      return given ? [] : ['started by a remembered approval that is not on record'];
    }
    const approvals = before.filter(
      (body) =>
        body.type === 'request_settled' &&
        body.callId === start.callId &&
        body.settlement.outcome === 'approved' &&
        body.settlement.by === 'operator' &&
        body.settlement.answer?.type === 'approve',
    ).length;
    return approvals > index ? [] : ['started without an approval'];
  });
}

/** Everything that stands on record as the operator's answer has to be one that they gave. */
export function checkAnswers(events: readonly JournalEvent[], given: ReadonlyMap<string, Answer>): string[] {
  return events.flatMap(({ body }) => {
    if (body.type !== 'request_settled' || body.settlement.by !== 'operator') return [];
    const answer = given.get(body.requestId);
    if (answer === undefined) return [`request ${body.requestId} was settled for the operator, who gave no answer`];
    return answer.type === body.settlement.answer?.type
      ? []
      : [`request ${body.requestId} has another answer than theirs`];
  });
}
