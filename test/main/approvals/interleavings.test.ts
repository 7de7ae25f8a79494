import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Audit } from '../../../src/main/approvals/audit';
import { Grants } from '../../../src/main/approvals/grants';
import { Inbox } from '../../../src/main/approvals/inbox';
import { recoverInterrupted } from '../../../src/main/runs/recovery';
import { approval, openStore, rememberable, startSession } from '../../support/store';

afterEach(() => vi.useRealTimers());

const TIMEOUT_MS = 5_000;

/** Everything that can happen to open requests, in any order and any number of times. */
const step = fc.oneof(
  fc.record({ do: fc.constant('ask' as const), run: fc.nat({ max: 1 }), command: fc.nat({ max: 1 }) }),
  fc.record({
    do: fc.constant('answer' as const),
    request: fc.nat({ max: 7 }),
    approve: fc.boolean(),
    remember: fc.constantFrom(null, 'exact' as const, 'session' as const, 'agent' as const),
    rightDigest: fc.boolean(),
  }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, TIMEOUT_MS / 2, TIMEOUT_MS) }),
  fc.record({ do: fc.constantFrom('stop' as const, 'quit' as const), run: fc.nat({ max: 1 }) }),
  fc.record({ do: fc.constant('fail' as const), request: fc.nat({ max: 7 }) }),
  fc.record({ do: fc.constant('crash' as const) }),
);

describe('every interleaving of answer, expiry, stop, quit, failure and crash', () => {
  it('settles a request at most once, and only an approval on record lets anything run', {
    timeout: 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
        const store = await openStore();
        const runs = [startSession(store.journal), startSession(store.journal)] as const;
        const commands = [rememberable(), rememberable({ program: '/bin/rm', digest: 'b'.repeat(64) })] as const;
        let { inbox } = store;
        const asked: ReturnType<typeof approval>[] = [];
        /** What each waiting call was told; a call runs if, and only if, this says approved. */
        const told = new Map<string, string[]>();

        for (const one of steps) {
          if (one.do === 'ask') {
            const request = approval(runs[one.run === 0 ? 0 : 1], commands[one.command === 0 ? 0 : 1], TIMEOUT_MS);
            asked.push(request);
            const mine: string[] = [];
            told.set(request.id, mine);
            void inbox.ask(request, commands[one.command === 0 ? 0 : 1]).then(({ outcome }) => mine.push(outcome));
          } else if (one.do === 'answer') {
            const request = asked[one.request];
            if (request === undefined) continue;
            const digest = one.rightDigest ? request.digest : 'f'.repeat(64);
            const answer = one.approve
              ? { type: 'approve' as const, remember: one.remember }
              : { type: 'decline' as const };
            try {
              inbox.answer(request.id, digest, answer);
            } catch {
              // A refusal is one of the outcomes; what it must not do is checked below.
            }
          } else if (one.do === 'wait') await vi.advanceTimersByTimeAsync(one.ms);
          else if (one.do === 'stop') inbox.settleRun(runs[one.run === 0 ? 0 : 1].runId, 'stopped');
          else if (one.do === 'quit') inbox.settleRun(runs[one.run === 0 ? 0 : 1].runId, 'interrupted');
          else if (one.do === 'fail') {
            const request = asked[one.request];
            if (request !== undefined) inbox.fail(request.id, 'the approver failed');
          } else {
            // A crash: the old inbox is gone with all that waited on it; the next start ends on record what was open.
            vi.clearAllTimers();
            told.clear();
            inbox = new Inbox(
              store.database,
              store.journal,
              new Grants(store.database, store.journal),
              new Audit(store.database),
              () => {},
            );
            recoverInterrupted(store.reader, store.journal, inbox);
          }
          await vi.advanceTimersByTimeAsync(0);
        }
        await vi.advanceTimersByTimeAsync(TIMEOUT_MS);

        const settlements = store.database
          .prepare(
            "SELECT json_extract(body, '$.requestId') AS id, json_extract(body, '$.settlement.outcome') AS outcome FROM events WHERE type = 'request_settled'",
          )
          .all() as { id: string; outcome: string }[];
        const ids = settlements.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.sort()).toEqual(asked.map(({ id }) => id as string).sort());
        const recorded = new Map(settlements.map(({ id, outcome }) => [id, outcome]));
        for (const [id, outcomes] of told) expect(outcomes).toEqual([recorded.get(id)]);
        vi.useRealTimers();
        expect(await store.audit.verify()).toEqual({ ok: true, rows: ids.length });
        expect(store.database.prepare("SELECT count(*) FROM requests WHERE state = 'pending'").pluck().get()).toBe(0);
        await store.close();
      }),
      { numRuns: 150 },
    );
  });
});
