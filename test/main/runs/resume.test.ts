import { randomUUID } from 'node:crypto';
import type { EventBody, EventOf, EventType } from '@shared/events';
import { RunId } from '@shared/ids';
import type { Answer, Request } from '@shared/requests';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recoverInterrupted } from '../../../src/main/runs/recovery';
import type { RunRef } from '../../../src/main/sessions/journal';
import { probe, startRun, waitForRequests } from '../../support/run';
import { openStore, type Store, startSession } from '../../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => store.close());

const TURNS = [{ calls: [{ tool: 'edit', input: { n: 1 } }] }, { say: 'Done.' }];
const of = <T extends EventType>(events: readonly EventBody[], type: T) =>
  events.filter((body): body is EventOf<T> => body.type === type);

function answer(request: Request, given: Answer): void {
  store.inbox.answer(request.id, request.digest, given);
}

async function nextRequest(after?: Request): Promise<Request> {
  for (;;) {
    const [request] = await waitForRequests(store);
    if (request !== undefined && request.id !== after?.id) return request;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A session whose only call was at work when the app was killed. */
async function killedInCall(): Promise<RunRef> {
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
  answer(await nextRequest(), { type: 'approve', remember: null });
  await running;
  recoverInterrupted(store.reader, store.journal, store.inbox);
  return { ...ref, runId: RunId.parse(randomUUID()) };
}

describe('a run that was killed after its last word', () => {
  it('has come to its end, unless something was said that it has not answered', async () => {
    const ref = startSession(store.journal);
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: null };
    const blocks = [{ type: 'text' as const, text: 'Done.' }];
    const said = { type: 'assistant_message' as const, turn: 1, blocks, stopReason: 'end_turn' as const, usage };
    store.journal.append(ref, [said], 'durable');
    const heard = startSession(store.journal);
    store.journal.append(heard, [said, { type: 'user_message', text: 'and the tests' }], 'durable');
    const meanwhile = startSession(store.journal);
    const began = { type: 'model_started' as const, turn: 1, attempt: 1 };
    store.journal.append(meanwhile, [began, { type: 'user_message', text: 'and the tests' }, said], 'durable');
    expect(recoverInterrupted(store.reader, store.journal, store.inbox)).toBe(2);
    expect(store.reader.session(ref.sessionId)?.state).toBe('completed');
    expect(store.reader.session(heard.sessionId)?.state).toBe('interrupted');
    expect(store.reader.session(meanwhile.sessionId)?.state).toBe('interrupted');
  });
});

describe('a call that had started when the app was killed', () => {
  it('is marked as done with the result that the operator types', async () => {
    const ref = await killedInCall();
    const edit = probe('edit');
    const { run, events } = startRun(store, TURNS, [edit.tool], { ref });
    const choice = await nextRequest();
    expect(choice).toMatchObject({
      answer: { options: ['Skip it', expect.stringMatching(/^It is done/), 'Run it again'] },
    });
    answer(choice, { type: 'select', selected: 1 });
    const result = await nextRequest(choice);
    expect(result).toMatchObject({
      kind: 'question',
      question: expect.stringMatching(/What was the result of edit\?/),
    });
    answer(result, { type: 'input', value: '3 lines were changed' });
    expect(await run.ended).toBe('completed');
    expect(edit.ran).toEqual([]);
    expect(of(events(), 'call_result')).toMatchObject([
      {
        isError: false,
        content: expect.stringMatching(/says that it is done\. Its result, in their words: 3 lines were changed$/),
      },
    ]);
  });

  it('is run again only by the operator’s word, and then through the gate', async () => {
    const ref = await killedInCall();
    const edit = probe('edit');
    const { run, events } = startRun(store, TURNS, [edit.tool], { ref });
    const choice = await nextRequest();
    answer(choice, { type: 'select', selected: 2 });
    const approval = await nextRequest(choice);
    expect(approval).toMatchObject({ kind: 'approval', tool: 'edit' });
    expect(edit.ran).toEqual([]);
    answer(approval, { type: 'approve', remember: null });
    expect(await run.ended).toBe('completed');
    expect(edit.ran).toHaveLength(1);
    expect(of(events(), 'call_started')).toHaveLength(2);
  });

  it('is not said to have never run where its second run is declined', async () => {
    const ref = await killedInCall();
    const { run, events } = startRun(store, TURNS, [probe('edit').tool], { ref });
    const choice = await nextRequest();
    answer(choice, { type: 'select', selected: 2 });
    answer(await nextRequest(choice), { type: 'decline', reason: 'after all' });
    expect(await run.ended).toBe('completed');
    const reason = expect.stringMatching(/the operator declined edit.*may have run.*after all/);
    expect(of(events(), 'tool_denied')).toMatchObject([{ reason }]);
  });

  it.each([
    ['none of these', { type: 'select', selected: null }],
    ['skip', { type: 'select', selected: 0, reason: 'not needed' }],
  ] as const)('is not run: %s', async (_name, given) => {
    const ref = await killedInCall();
    const edit = probe('edit');
    const { run, events } = startRun(store, TURNS, [edit.tool], { ref });
    answer(await nextRequest(), given);
    expect(await run.ended).toBe('completed');
    expect(edit.ran).toEqual([]);
    expect(of(events(), 'call_result')).toMatchObject([{ isError: true }]);
  });

  it('is asked about again when the app is killed while it is asked about', async () => {
    const ref = await killedInCall();
    const edit = probe('edit');
    const { run } = startRun(store, TURNS, [edit.tool], { ref });
    const choice = await nextRequest();
    answer(choice, { type: 'select', selected: 1 });
    await nextRequest(choice);
    run.interrupt();
    expect(await run.ended).toBe('interrupted');
    const again = startRun(store, TURNS, [edit.tool], { ref: { ...ref, runId: RunId.parse(randomUUID()) } });
    expect(await nextRequest()).toMatchObject({ question: expect.stringMatching(/may already have run/) });
    again.run.stop();
    expect(await again.run.ended).toBe('stopped');
    expect(edit.ran).toEqual([]);
  });
});

describe('calls that had not begun when their run ended', () => {
  const TWO = [
    {
      calls: [
        { tool: 'edit', input: { n: 1 } },
        { tool: 'edit', input: { n: 2 } },
      ],
    },
    { say: 'Done.' },
  ];
  /** How a run ends with its first call open and its second not looked at yet. */
  const ENDS: Readonly<Record<string, { readonly again: number; readonly end: () => Promise<RunRef> }>> = {
    'by a stop, and are denied by it for good': {
      again: 0,
      end: async () => {
        const { run, ref } = startRun(store, TWO, [probe('edit').tool]);
        await nextRequest();
        run.stop();
        expect(await run.ended).toBe('stopped');
        return ref;
      },
    },
    'by a quit': {
      again: 2,
      end: async () => {
        const { run, ref } = startRun(store, TWO, [probe('edit').tool]);
        await nextRequest();
        run.interrupt();
        expect(await run.ended).toBe('interrupted');
        return ref;
      },
    },
    'by a crash': {
      again: 2,
      end: async () => {
        const { ref } = startRun(store, TWO, [probe('edit').tool]);
        await nextRequest();
        // What a new process finds, and does before anything runs.
        store.database.close();
        const next = await openStore(store.home);
        recoverInterrupted(next.reader, next.journal, next.inbox);
        store = next;
        return ref;
      },
    },
    'by a limit': {
      again: 2,
      end: async () => {
        const settings = { limits: { maxTurns: 1 } };
        const { run, ref } = startRun(store, TWO, [probe('edit').tool], { settings });
        expect(await run.ended).toBe('budget');
        return ref;
      },
    },
  };
  for (const [name, { again, end }] of Object.entries(ENDS)) {
    it(`${name}${again === 0 ? '' : ', and are asked about on resume, in their order'}`, async () => {
      const { sessionId } = await end();
      expect(store.reader.session(sessionId)).toMatchObject({ openRequests: 0 });
      const edit = probe('edit');
      const ref = { sessionId, runId: RunId.parse(randomUUID()) };
      const { run, events } = startRun(store, TWO, [edit.tool], { ref });
      let asked: Request | undefined;
      for (let count = 0; count < again; count += 1) {
        asked = await nextRequest(asked);
        expect(edit.ran).toHaveLength(count);
        answer(asked, { type: 'approve', remember: null });
      }
      expect(await run.ended).toBe('completed');
      expect(edit.ran).toEqual(['{"n":1}', '{"n":2}'].slice(0, again));
      const denied = of(events(), 'tool_denied').map(({ outcome }) => outcome);
      expect(denied).toEqual(again === 0 ? ['stopped', 'stopped'] : []);
      // Nobody is said to have declined anything.
      expect(JSON.stringify(events())).not.toContain('declined');
    });
  }
});
