import { randomUUID } from 'node:crypto';
import { type EventBody, JournalEvent } from '@shared/events';
import { CallId, RequestId, RunId, SessionId } from '@shared/ids';
import type { Answer, GatedBy } from '@shared/requests';
import { describe, expect, it } from 'vitest';
import { approval, rememberable } from '../support/store';
import { checkAnswers, checkLedger } from './check-ledger';

const ids = { sessionId: randomUUID(), runId: randomUUID() };
const journal = (...bodies: readonly EventBody[]) =>
  bodies.map((body, index) => JournalEvent.parse({ ...ids, seq: index + 1, at: 0, body }));

const requestOf = (step: number) => RequestId.parse(`00000000-0000-4000-8000-00000000000${step}`);
const grantId = '11111111-1111-4111-8111-111111111111';

function started(step: number, allowedBy: 'operator' | 'ungated' | 'grant', tool = 'act'): EventBody {
  return {
    type: 'call_started',
    turn: 1,
    callId: CallId.parse(`call_${step}`),
    tool,
    preview: {
      kind: 'command',
      argv: ['drill-step', tool, '--', String(step)],
      cwd: '/ws',
      program: '/ws/drill-step',
      environment: [],
      timeoutMs: 1_000,
      shell: false,
    },
    command: [{ segments: [{ text: 'drill-step', escape: false }], warnings: [] }],
    digest: 'a'.repeat(64),
    program: null,
    allowedBy,
    ...(allowedBy === 'grant' ? { grantId: grantId as never } : {}),
  };
}
const look = (step: number) => started(step, 'ungated', 'look');

const APPROVE: Answer = { type: 'approve', remember: null };
const AGAIN: Answer = { type: 'select', selected: 2 };

function settled(step: number, answer: Answer, requestId = requestOf(step)): EventBody {
  return {
    type: 'request_settled',
    requestId,
    callId: CallId.parse(`call_${step}`),
    settlement: { outcome: answer.type === 'decline' ? 'declined' : 'approved', by: 'operator', answer },
    afterMs: 1,
  };
}

/** The request whether a step may run once more with something open, and its approval. */
function letReachFurther(step: number): EventBody[] {
  const ref = { sessionId: SessionId.parse(ids.sessionId), runId: RunId.parse(ids.runId) };
  const gatedBy: GatedBy = {
    because: 'wider',
    exitCode: 2,
    allows: [{ kind: 'write', path: '/outside', is: 'folder', nearestTo: null }],
  };
  const request = { ...approval(ref, rememberable()), callId: CallId.parse(`call_${step}`), gatedBy };
  return [{ type: 'request_opened', request }, settled(step, APPROVE, request.id)];
}

describe('what ran, against what was allowed', () => {
  it.each([
    ['looked and ran once', [1], [look(1)]],
    ['was approved and ran once', [2], [settled(2, APPROVE), started(2, 'operator')]],
    ['was approved and began on record only', [], [settled(2, APPROVE), started(2, 'operator')]],
    ['ran again on the operator’s word', [1, 1], [look(1), settled(1, AGAIN), look(1)]],
    [
      'ran once more because the operator let it reach further',
      [8, 8],
      [settled(8, APPROVE), started(8, 'operator'), ...letReachFurther(8), started(8, 'operator')],
    ],
    [
      'was approved twice to run again',
      [2, 2],
      [settled(2, APPROVE), started(2, 'operator'), settled(2, AGAIN), settled(2, APPROVE), started(2, 'operator')],
    ],
  ] as const)('a step is right that %s', (_name, ledger, bodies) => {
    expect(checkLedger(ledger, journal(...bodies), [3])).toEqual([]);
  });

  it.each([
    ['ran without its start on record', [1], [], /ran 1 times, and started 0 times/],
    ['ran twice and began once', [1, 1], [look(1)], /ran 2 times, and started 1 times/],
    [
      'began twice without the operator’s word',
      [1],
      [look(1), look(1)],
      /started 2 times, with the operator's word for 1/,
    ],
    ['began without an approval', [], [started(2, 'operator')], /without an approval/],
    ['began before its approval', [2], [started(2, 'operator'), settled(2, APPROVE)], /without an approval/],
    [
      'began again on the approval of the first time',
      [2],
      [settled(2, APPROVE), started(2, 'operator'), settled(2, AGAIN), started(2, 'operator')],
      /without an approval/,
    ],
    ['changes something and was not asked about', [2], [started(2, 'ungated')], /without being asked/],
    ['began by what nobody remembered', [2], [started(2, 'grant')], /not on record/],
    [
      'ran once more and was approved the first time only',
      [8, 8],
      [settled(8, APPROVE), started(8, 'operator'), started(8, 'operator')],
      /started 2 times, with the operator's word for 1/,
    ],
    ['was declined', [3], [look(3)], /declined, and started/],
  ] as const)('a step is found that %s', (_name, ledger, bodies, words) => {
    expect(checkLedger(ledger, journal(...bodies), [3]).join()).toMatch(words);
  });
});

describe('what stands on record as the operator’s answer', () => {
  const events = journal(settled(2, APPROVE));

  it('is one that they gave', () => {
    expect(checkAnswers(events, new Map([[requestOf(2), APPROVE]]))).toEqual([]);
    expect(checkAnswers(events, new Map()).join()).toMatch(/gave no answer/);
    expect(checkAnswers(events, new Map([[requestOf(2), { type: 'decline' }]])).join()).toMatch(/another answer/);
  });
});
