import { randomUUID } from 'node:crypto';
import { RequestId } from '@shared/ids';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { approval, openStore, rememberable, type Store, startSession } from '../../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
});

const settled = (s: Store) =>
  s.database
    .prepare("SELECT body FROM events WHERE type = 'request_settled' ORDER BY seq")
    .pluck()
    .all()
    .map((text) => JSON.parse(String(text)).settlement.outcome as string);

describe('the inbox', () => {
  it('has a request on record before anyone can see it, and lists the one with the least time left first', () => {
    const ref = startSession(store.journal);
    const slow = approval(ref, rememberable(), 60_000);
    const fast = approval(ref, rememberable(), 30_000);
    void store.inbox.ask(slow, rememberable());
    void store.inbox.ask(fast, rememberable());
    expect(store.inbox.open().map(({ id }) => id)).toEqual([fast.id, slow.id]);
    expect(store.reader.session(ref.sessionId)).toMatchObject({ openRequests: 2, nextExpiryAt: fast.expiresAt });
  });

  it('settles a request once: the second answer is refused and changes nothing', async () => {
    const request = approval(startSession(store.journal), rememberable());
    const wait = store.inbox.ask(request, rememberable());
    store.inbox.answer(request.id, request.digest, { type: 'decline', reason: 'no' });
    expect(() => store.inbox.answer(request.id, request.digest, { type: 'approve', remember: null })).toThrow(
      /settled before/,
    );
    expect(await wait).toMatchObject({ outcome: 'declined', by: 'operator', reason: 'no' });
    expect(settled(store)).toEqual(['declined']);
  });

  it('refuses a wrong digest, an unknown id and an answer of another kind, and the request stays open', () => {
    const request = approval(startSession(store.journal), rememberable());
    void store.inbox.ask(request, rememberable());
    expect(() => store.inbox.answer(request.id, 'b'.repeat(64), { type: 'approve', remember: null })).toThrow(
      /Read it again/,
    );
    expect(() =>
      store.inbox.answer(RequestId.parse(randomUUID()), request.digest, { type: 'approve', remember: null }),
    ).toThrow(/no such request/);
    expect(() => store.inbox.answer(request.id, request.digest, { type: 'confirm', confirmed: true })).toThrow(
      /approved or declined/,
    );
    expect(store.inbox.open()).toHaveLength(1);
    expect(settled(store)).toEqual([]);
  });

  it('expires what nobody answers, by its own clock, and refuses an answer that comes later', async () => {
    vi.useFakeTimers();
    const ref = startSession(store.journal);
    const first = approval(ref, rememberable(), 5_000);
    const second = approval(ref, rememberable(), 9_000);
    const waits = [store.inbox.ask(first, rememberable()), store.inbox.ask(second, rememberable())];
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await waits[0]).toEqual({ outcome: 'expired', by: 'clock' });
    expect(store.inbox.open().map(({ id }) => id)).toEqual([second.id]);
    expect(() => store.inbox.answer(first.id, first.digest, { type: 'approve', remember: null })).toThrow(
      /nobody answered/,
    );
    store.inbox.settleRun(ref.runId, 'stopped');
    expect(await waits[1]).toEqual({ outcome: 'stopped', by: 'run' });
  });

  it('takes the deadline that was shown, even if the timer is late', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const request = approval(startSession(store.journal), rememberable(), 5_000);
    const wait = store.inbox.ask(request, rememberable());
    vi.setSystemTime(request.expiresAt);
    expect(() => store.inbox.answer(request.id, request.digest, { type: 'approve', remember: null })).toThrow(
      /expired/,
    );
    expect((await wait).outcome).toBe('expired');
  });

  it('approves nothing when the store fails: whoever waits is told that it failed', async () => {
    const request = approval(startSession(store.journal), rememberable());
    const wait = store.inbox.ask(request, rememberable());
    store.database.exec("CREATE TRIGGER broken BEFORE UPDATE ON requests BEGIN SELECT RAISE(ABORT, 'disk full'); END");
    expect(() => store.inbox.answer(request.id, request.digest, { type: 'approve', remember: null })).toThrow(
      /disk full/,
    );
    expect(await wait).toEqual({ outcome: 'failed', by: 'app' });
    expect(settled(store)).toEqual([]);
  });

  it('does not ask when the request cannot be put on record', async () => {
    const request = approval(startSession(store.journal), rememberable());
    store.database.exec("CREATE TRIGGER broken BEFORE INSERT ON requests BEGIN SELECT RAISE(ABORT, 'disk full'); END");
    await expect(store.inbox.ask(request, rememberable())).rejects.toThrow(/disk full/);
    expect(store.inbox.open()).toEqual([]);
  });

  it('remembers a command in its session, and that releases what already waits for the same command there', async () => {
    const ref = startSession(store.journal);
    const elsewhere = startSession(store.journal);
    const other = rememberable({ program: '/usr/bin/rm', digest: 'c'.repeat(64) });
    const requests = [
      approval(ref, rememberable()),
      approval(ref, rememberable({ digest: 'd'.repeat(64) })),
      approval(ref, other),
      approval(elsewhere, rememberable()),
    ] as const;
    const waits = requests.map((request, index) =>
      store.inbox.ask(request, index === 2 ? other : rememberable({ digest: request.digest })),
    );
    store.inbox.answer(requests[0].id, requests[0].digest, { type: 'approve', remember: 'session' });
    const grant = store.grants.find(ref.sessionId, rememberable({ digest: 'e'.repeat(64) }));
    expect(grant?.match).toEqual({ scope: 'session', tool: 'run_command', program: '/usr/bin/git' });
    expect(await waits[1]).toMatchObject({ outcome: 'approved', by: 'grant', grantId: grant?.id });
    expect(
      store.inbox
        .open()
        .map(({ id }) => id)
        .sort(),
    ).toEqual([requests[2].id, requests[3].id].sort());
    expect(store.grants.find(elsewhere.sessionId, rememberable())).toBeNull();
  });

  it('never remembers a command whose display carries a warning', () => {
    const hidden = rememberable({ command: [{ segments: [{ text: 'x', escape: false }], warnings: ['hidden'] }] });
    const request = approval(startSession(store.journal), hidden);
    void store.inbox.ask(request, hidden);
    expect(request.remember).toEqual([]);
    expect(() => store.inbox.answer(request.id, request.digest, { type: 'approve', remember: 'session' })).toThrow(
      /cannot be remembered/,
    );
    expect(store.inbox.open()).toHaveLength(1);
  });

  it('keeps an exact grant to its own digest and an agent grant to its agent, across sessions', () => {
    const ref = startSession(store.journal);
    const elsewhere = startSession(store.journal);
    const give = (call = rememberable(), remember: 'exact' | 'agent') => {
      const request = approval(ref, call);
      void store.inbox.ask(request, call);
      store.inbox.answer(request.id, request.digest, { type: 'approve', remember });
    };
    give(rememberable(), 'exact');
    expect(store.grants.find(ref.sessionId, rememberable())).not.toBeNull();
    expect(store.grants.find(ref.sessionId, rememberable({ digest: 'f'.repeat(64) }))).toBeNull();
    expect(store.grants.find(elsewhere.sessionId, rememberable())).toBeNull();
    give(rememberable(), 'agent');
    expect(store.grants.find(elsewhere.sessionId, rememberable({ digest: 'f'.repeat(64) }))).not.toBeNull();
    expect(store.grants.find(elsewhere.sessionId, rememberable({ agentId: 'agent-2' }))).toBeNull();
    store.grants.endAgentGrants();
    expect(store.grants.find(elsewhere.sessionId, rememberable())).toBeNull();
  });

  it('revokes a grant once, and a revoked one can no longer be used', () => {
    const ref = startSession(store.journal);
    const request = approval(ref, rememberable());
    void store.inbox.ask(request, rememberable());
    store.inbox.answer(request.id, request.digest, { type: 'approve', remember: 'session' });
    const grant = store.grants.find(ref.sessionId, rememberable());
    if (grant === null) throw new Error('no grant');
    store.grants.use(grant.id);
    expect(store.grants.list(ref.sessionId, 'agent-1')[0]).toMatchObject({ uses: 1, revokedAt: null });
    expect(store.grants.revoke(grant.id, 'operator')).toBe(true);
    expect(store.grants.revoke(grant.id, 'operator')).toBe(false);
    expect(() => store.grants.use(grant.id)).toThrow();
    expect(store.grants.find(ref.sessionId, rememberable())).toBeNull();
  });
});
