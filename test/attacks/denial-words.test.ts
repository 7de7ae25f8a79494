import { randomUUID } from 'node:crypto';
import type { EventBody, EventOf } from '@shared/events';
import { RunId } from '@shared/ids';
import type { Answer, Request } from '@shared/requests';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attachApprover } from '../../src/main/approvals/approver';
import { recoverInterrupted } from '../../src/main/runs/recovery';
import { probe, startRun, waitForRequests } from '../support/run';
import { openStore, type Store } from '../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => store.close());

const TURNS = [{ calls: [{ tool: 'edit', input: {} }] }, { say: 'Done.' }];
const denied = (events: readonly EventBody[]) =>
  events.filter((body): body is EventOf<'tool_denied'> => body.type === 'tool_denied');
const answer = (request: Request | undefined, given: Answer) => {
  if (request === undefined) throw new Error('nothing to answer');
  store.inbox.answer(request.id, request.digest, given);
};

/** A session whose only call was at work when the app was killed, and its next run. */
async function resumedInCall(then: 'go on' | 'stop at once' = 'go on') {
  let began = () => {};
  const running = new Promise<void>((resolve) => {
    began = resolve;
  });
  const edit = probe('edit', {
    run: () => {
      began();
      return new Promise(() => {});
    },
  });
  const { ref } = startRun(store, TURNS, [edit.tool]);
  answer((await waitForRequests(store))[0], { type: 'approve', remember: null });
  await running;
  recoverInterrupted(store.reader, store.journal, store.inbox);
  const next = startRun(store, TURNS, [probe('edit').tool], { ref: { ...ref, runId: RunId.parse(randomUUID()) } });
  if (then === 'stop at once') next.run.stop();
  return next;
}

describe('what the app itself says of a denial', () => {
  it('is not put into the operator’s mouth when a call kept changing', async () => {
    const edit = probe('edit', { dangerous: true });
    let version = 0;
    const { run, events } = startRun(store, TURNS, [
      {
        ...edit.tool,
        prepare: async (inputText, context) => {
          version += 1;
          return { ...(await edit.tool.prepare(inputText, context)), bound: { version: String(version) } };
        },
      },
    ]);
    const stop = store.inbox.onChange(() => {
      for (const request of store.inbox.open()) {
        queueMicrotask(() => store.inbox.answer(request.id, request.digest, { type: 'approve', remember: null }));
      }
    });
    await run.ended;
    stop();
    expect(edit.ran).toEqual([]);
    const [end] = denied(events());
    expect(end).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('kept changing') });
    expect(end?.reason).not.toContain("operator's words");
  });

  it('is not put into the operator’s mouth when an approver fails', async () => {
    const { run, events } = startRun(store, TURNS, [probe('edit').tool]);
    const end = attachApprover(store.inbox, () => Promise.reject(new Error('the line is dead')));
    await run.ended;
    end();
    expect(denied(events())).toMatchObject([{ outcome: 'failed', reason: expect.stringContaining('line is dead') }]);
    expect(denied(events())[0]?.reason).not.toContain("operator's words");
  });

  it('keeps the operator’s own words when a call that may have run is declined', async () => {
    const { run, events } = await resumedInCall();
    answer((await waitForRequests(store))[0], { type: 'decline', reason: 'ask me tomorrow' });
    await run.ended;
    const [end] = denied(events());
    expect(end?.reason).toMatch(/may have run/);
    expect(end?.reason).toMatch(/The operator's words: ask me tomorrow$/);
  });

  it('does not claim that a call that may have run was never started, when the run is stopped', async () => {
    const { run, events } = await resumedInCall();
    await waitForRequests(store);
    run.stop();
    await run.ended;
    expect(denied(events())).toMatchObject([{ outcome: 'stopped', reason: expect.stringMatching(/may have run/) }]);
    expect(denied(events())[0]?.reason).not.toContain("operator's words");
  });

  it('says so also where the run is stopped before it came to the call', async () => {
    const { run, events } = await resumedInCall('stop at once');
    await run.ended;
    expect(denied(events())).toMatchObject([{ outcome: 'stopped', reason: expect.stringMatching(/may have run/) }]);
  });
});
