import { randomUUID } from 'node:crypto';
import type { Request } from '@shared/requests';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Approver, attachApprover } from '../../../src/main/approvals/approver';
import { approval, openStore, rememberable, type Store, startSession } from '../../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
});

const reply = (request: Request, over: object = {}) => ({
  requestId: request.id,
  digest: request.digest,
  answer: { type: 'approve', remember: null },
  ...over,
});
const ask = (ms?: number) => store.inbox.ask(approval(startSession(store.journal), rememberable(), ms), rememberable());

describe('an approver', () => {
  it('approves with exactly an answer to exactly this request', async () => {
    attachApprover(store.inbox, async (request) => reply(request));
    expect(await ask()).toMatchObject({ outcome: 'approved', by: 'operator' });
  });

  const wrong: [string, Approver][] = [
    ['throws', async () => Promise.reject(new Error('boom'))],
    [
      'throws at once',
      () => {
        throw new Error('boom');
      },
    ],
    ['says true', async () => true],
    ['says 1', async () => 1],
    ['says "approved"', async () => 'approved'],
    ['says nothing', async () => undefined],
    ['approves with a truthy word in place of the answer', async (request) => reply(request, { answer: true })],
    ['approves with one key too many', async (request) => reply(request, { force: true })],
    ['approves another request', async (request) => reply(request, { requestId: randomUUID() })],
    ['approves another digest', async (request) => reply(request, { digest: 'b'.repeat(64) })],
    [
      'answers as if it were a question',
      async (request) => reply(request, { answer: { type: 'confirm', confirmed: true } }),
    ],
    [
      'remembers what is not offered',
      async (request) => reply(request, { answer: { type: 'approve', remember: 'world' } }),
    ],
  ];
  it.each(wrong)('runs nothing when it %s', async (_name, approver) => {
    attachApprover(store.inbox, approver);
    expect(await ask()).toMatchObject({ outcome: 'failed', by: 'app' });
  });

  it('runs nothing when it hangs: the request expires, and it is told to give up', async () => {
    vi.useFakeTimers();
    let gaveUp = false;
    attachApprover(store.inbox, (_request, signal) => {
      signal.addEventListener('abort', () => {
        gaveUp = true;
      });
      return new Promise(() => {});
    });
    const settled = ask(5_000);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await settled).toEqual({ outcome: 'expired', by: 'clock' });
    expect(gaveUp).toBe(true);
  });

  it('changes nothing when it answers after the request was settled', async () => {
    let answer: ((value: unknown) => void) | undefined;
    attachApprover(
      store.inbox,
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const settled = ask();
    const [request] = store.inbox.open();
    if (request === undefined) throw new Error('nothing is open');
    store.inbox.answer(request.id, request.digest, { type: 'decline' });
    answer?.(reply(request));
    expect(await settled).toMatchObject({ outcome: 'declined' });
    expect(store.database.prepare('SELECT state FROM requests').pluck().all()).toEqual(['declined']);
  });
});
