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
  it('has come to its end: the model is not asked again', async () => {
    const ref = startSession(store.journal);
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: null };
    const blocks = [{ type: 'text' as const, text: 'Done.' }];
    const said = { type: 'assistant_message' as const, turn: 1, blocks, stopReason: 'end_turn' as const, usage };
    store.journal.append(ref, [said], 'durable');
    const heard = startSession(store.journal);
    store.journal.append(heard, [said, { type: 'user_message', text: 'and the tests' }], 'durable');
    expect(recoverInterrupted(store.reader, store.journal, store.inbox)).toBe(1);
    expect(store.reader.session(ref.sessionId)?.state).toBe('completed');
    expect(store.reader.session(heard.sessionId)?.state).toBe('interrupted');
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
