import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SessionRemover } from '../../src/main/sessions/remove-session';
import { probe, startRun, waitForRequests } from '../support/run';
import { openStore, type Store } from '../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => store.close());

const TURNS = [{ calls: [{ tool: 'edit', input: {} }] }, { say: 'Over.' }];

async function asked() {
  const edit = probe('edit');
  const started = startRun(store, TURNS, [edit.tool]);
  const [request] = await waitForRequests(store);
  if (request === undefined) throw new Error('nothing asked');
  const approve = () => store.inbox.answer(request.id, request.digest, { type: 'approve', remember: 'session' });
  return { ...started, edit, approve };
}

describe('an approval that comes late', () => {
  it('lets nothing run when the session was taken out of the store under it', async () => {
    const { run, ref, edit, approve } = await asked();
    await new SessionRemover(store.database).remove([ref.sessionId], () => undefined);
    try {
      approve();
    } catch {
      // Whatever it is told, nothing runs.
    }
    await run.ended.catch(() => undefined);
    expect(edit.ran).toEqual([]);
  });

  it('lets nothing run twice, however often it comes', async () => {
    const { run, edit, approve } = await asked();
    approve();
    for (let times = 0; times < 5; times += 1) expect(approve).toThrow();
    await run.ended;
    expect(edit.ran).toHaveLength(1);
  });
});
