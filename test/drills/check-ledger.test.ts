import { randomUUID } from 'node:crypto';
import { type EventBody, JournalEvent } from '@shared/events';
import { CallId, RequestId } from '@shared/ids';
import { describe, expect, it } from 'vitest';
import { checkLedger } from './check-ledger';

const ids = { sessionId: randomUUID(), runId: randomUUID() };
const journal = (bodies: readonly EventBody[]) =>
  bodies.map((body, index) => JournalEvent.parse({ ...ids, seq: index + 1, at: 0, body }));

function started(n: number, allowedBy: 'operator' | 'ungated'): EventBody {
  return {
    type: 'call_started',
    turn: 1,
    callId: CallId.parse(`call_${n}`),
    tool: 'act',
    preview: { kind: 'arguments', rows: [] },
    command: [{ segments: [{ text: `act {"n":${n}}`, escape: false }], warnings: [] }],
    digest: 'a'.repeat(64),
    program: null,
    allowedBy,
  };
}
function settled(n: number, answer: 'approve' | 'again'): EventBody {
  return {
    type: 'request_settled',
    requestId: RequestId.parse(randomUUID()),
    callId: CallId.parse(`call_${n}`),
    settlement: {
      outcome: 'approved',
      by: 'operator',
      answer: answer === 'approve' ? { type: 'approve', remember: null } : { type: 'select', selected: 2 },
    },
    afterMs: 1,
  };
}

describe('the drill’s own look at what ran', () => {
  it('finds nothing wrong with what was approved and ran once', () => {
    expect(
      checkLedger([1, 2], journal([started(1, 'ungated'), settled(2, 'approve'), started(2, 'operator')]), [3]),
    ).toEqual([]);
  });

  it.each([
    ['ran without its start on record', [1], [], /start is not on record/],
    ['ran without an approval', [2], [started(2, 'operator')], /without an approval/],
    ['ran before its approval', [2], [started(2, 'operator'), settled(2, 'approve')], /without an approval/],
    ['was declined, and ran', [3], [started(3, 'ungated')], /was declined/],
    ['ran twice without the operator’s word', [1, 1], [started(1, 'ungated')], /ran 2 times/],
    ['was started twice without it', [1], [started(1, 'ungated'), started(1, 'ungated')], /started 2 times/],
  ] as const)('finds a call that %s', (_name, ledger, bodies, words) => {
    expect(checkLedger(ledger, journal(bodies), [3]).join()).toMatch(words);
  });

  it('lets a call run again that the operator said should', () => {
    const events = journal([started(1, 'ungated'), settled(1, 'again'), started(1, 'ungated')]);
    expect(checkLedger([1, 1], events, [])).toEqual([]);
  });
});
