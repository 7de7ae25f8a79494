import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recoverInterrupted } from '../../src/main/runs/recovery';
import { approval, openStore, rememberable, type Store, startSession } from '../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => store.close());

const APPROVE = { type: 'approve', remember: 'session' } as const;

describe('a new grant', () => {
  it('does not answer for what was approved before and has changed since: that is asked about in any case', async () => {
    const ref = startSession(store.journal);
    const call = rememberable();
    const changed = { ...approval(ref, call), changed: 'script.sh has changed' };
    const other = approval(ref, call);
    void store.inbox.ask(changed, call);
    const settled = store.inbox.ask(other, call);
    store.inbox.answer(other.id, other.digest, APPROVE);
    expect((await settled).outcome).toBe('approved');
    expect(store.inbox.open().map(({ id }) => id)).toEqual([changed.id]);
  });

  it('is not reported as refused when only the release of another request failed', async () => {
    const ref = startSession(store.journal);
    const call = rememberable();
    const [first, second] = [approval(ref, call), approval(ref, call)];
    const settled = store.inbox.ask(first, call);
    const released = store.inbox.ask(second, call);
    const append = store.journal.append.bind(store.journal);
    let appends = 0;
    vi.spyOn(store.journal, 'append').mockImplementation((...given) => {
      appends += 1;
      if (appends === 2) throw new Error('disk full');
      return append(...given);
    });
    store.inbox.answer(first.id, first.digest, APPROVE);
    expect((await settled).outcome).toBe('approved');
    expect((await released).outcome).toBe('failed');
    expect(store.storeErrors).toHaveLength(1);
  });
});

describe('a listener of the inbox that throws', () => {
  it('changes nothing for whoever asks, answers or listens besides', async () => {
    const ref = startSession(store.journal);
    const call = rememberable();
    const request = approval(ref, call);
    const heard = vi.fn();
    store.inbox.onChange(() => {
      throw new Error('the window is gone');
    });
    store.inbox.onChange(heard);
    const settled = store.inbox.ask(request, call);
    expect(() => store.inbox.answer(request.id, request.digest, APPROVE)).not.toThrow();
    expect((await settled).outcome).toBe('approved');
    expect(heard).toHaveBeenCalledTimes(2);
  });
});

describe('a session whose row is damaged', () => {
  /** Two sessions with an open request, a grant and a run at work, of which the first cannot be read. */
  function damaged() {
    const [bad, good] = [startSession(store.journal), startSession(store.journal)];
    for (const ref of [bad, good]) {
      const call = rememberable();
      const granted = approval(ref, call);
      void store.inbox.ask(granted, call);
      store.inbox.answer(granted.id, granted.digest, { type: 'approve', remember: 'agent' });
      const open = rememberable({ program: '/usr/bin/rm' });
      void store.inbox.ask(approval(ref, open), open);
    }
    store.database.prepare("UPDATE sessions SET mode = 'whatever' WHERE id = ?").run(bad.sessionId);
    return { bad, good };
  }

  it('keeps neither the app from starting nor the others from being put right', () => {
    const { good } = damaged();
    expect(() => recoverInterrupted(store.reader, store.journal, store.inbox)).not.toThrow();
    expect(() => store.grants.endAgentGrants()).not.toThrow();
    expect(store.reader.session(good.sessionId)?.state).toBe('interrupted');
    const count = (sql: string) => store.database.prepare(sql).pluck().get();
    expect(count("SELECT count(*) FROM requests WHERE state = 'pending'")).toBe(0);
    expect(count('SELECT count(*) FROM grants WHERE revoked_at IS NULL')).toBe(0);
  });
});
