import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { approval, openStore, rememberable, type Store, startSession } from '../../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
  const ref = startSession(store.journal);
  for (const type of ['approve', 'decline', 'approve'] as const) {
    const request = approval(ref, rememberable());
    void store.inbox.ask(request, rememberable());
    store.inbox.answer(
      request.id,
      request.digest,
      type === 'approve' ? { type, remember: null } : { type, reason: 'no' },
    );
  }
  void store.inbox.ask(approval(ref, rememberable()), rememberable());
  store.inbox.settleRun(ref.runId, 'stopped');
});
afterEach(() => store.close());

async function lines() {
  const parsed = [];
  for await (const line of store.audit.exportLines()) parsed.push(JSON.parse(line));
  return parsed;
}

describe('the audit', () => {
  it('has one row for every settled request: what was shown, who settled it, when and after how long', async () => {
    expect((await lines()).map(({ body }) => body.settlement)).toMatchObject([
      { outcome: 'approved', by: 'operator' },
      { outcome: 'declined', by: 'operator', reason: 'no' },
      { outcome: 'approved', by: 'operator' },
      { outcome: 'stopped', by: 'run' },
    ]);
    expect((await lines())[0].body).toMatchObject({
      tool: 'run_command',
      afterMs: expect.any(Number),
      settledAt: expect.any(Number),
      shown: { preview: { argv: ['git', 'status'] }, cwd: '/ws', sandbox: { name: 'process' } },
    });
    expect(await store.audit.verify()).toEqual({ ok: true, rows: 4 });
  });

  it.each([
    ['a changed row', "UPDATE audit SET body = replace(body, 'declined', 'approved') WHERE seq = 2", 2, /changed/],
    [
      'a changed row with its hash made anew',
      "UPDATE audit SET body = '{}', body_hash = '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a' WHERE seq = 2",
      2,
      /does not follow/,
    ],
    ['a row taken out', 'DELETE FROM audit WHERE seq = 2', 3, /missing/],
    [
      'two rows exchanged',
      'UPDATE audit SET seq = CASE seq WHEN 2 THEN -3 ELSE -2 END WHERE seq IN (2, 3); UPDATE audit SET seq = -seq WHERE seq < 0',
      2,
      /does not follow/,
    ],
    ['the first row taken out', 'DELETE FROM audit WHERE seq = 1', 2, /missing/],
  ])('names the first broken link: %s', async (_name, sql, seq, problem) => {
    store.database.exec(sql);
    expect(await store.audit.verify()).toMatchObject({ ok: false, seq, problem: expect.stringMatching(problem) });
  });

  it('still holds when the content of a deleted session is gone', async () => {
    store.database.exec('UPDATE audit SET body = NULL WHERE seq = 2');
    expect(await store.audit.verify()).toEqual({ ok: true, rows: 4 });
  });
});
