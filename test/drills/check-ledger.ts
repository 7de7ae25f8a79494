import type { JournalEvent } from '@shared/events';

/** What ran, as the commands themselves wrote it down, against what the journal says was allowed. */
export function checkLedger(
  ledger: readonly number[],
  events: readonly JournalEvent[],
  declined: readonly number[],
): string[] {
  const problems: string[] = [];
  const numberOf = (command: readonly { readonly segments: readonly { readonly text: string }[] }[]) =>
    Number(/"n":(\d+)/.exec(command.map(({ segments }) => segments.map(({ text }) => text).join('')).join(' '))?.[1]);
  for (const n of new Set(ledger)) {
    const started = events.filter(({ body }) => body.type === 'call_started' && numberOf(body.command) === n);
    const [first] = started;
    if (first === undefined || first.body.type !== 'call_started') {
      problems.push(`call ${n} ran, and its start is not on record`);
      continue;
    }
    const { callId, allowedBy } = first.body;
    const approved = events.some(
      ({ seq, body }) =>
        seq < first.seq &&
        body.type === 'request_settled' &&
        body.callId === callId &&
        body.settlement.outcome === 'approved',
    );
    if (allowedBy === 'operator' && !approved) problems.push(`call ${n} ran without an approval`);
    if (declined.includes(n)) problems.push(`call ${n} was declined, and ran`);
    const again = events.filter(
      ({ body }) =>
        body.type === 'request_settled' &&
        body.callId === callId &&
        body.settlement.answer?.type === 'select' &&
        body.settlement.answer.selected === 2,
    ).length;
    const times = ledger.filter((other) => other === n).length;
    if (times > 1 + again) problems.push(`call ${n} ran ${times} times, with the operator's word for ${1 + again}`);
    if (started.length > 1 + again) problems.push(`call ${n} was started ${started.length} times`);
  }
  return problems;
}
