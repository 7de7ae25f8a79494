import { join } from 'node:path';
import type { Push } from '@shared/bridge';
import type { SessionId } from '@shared/ids';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type SessionHandlerParts, sessionHandlers } from '../../../src/main/desktop/session-handlers';
import { DATABASE_FILE } from '../../../src/main/sessions/database';
import type { Progress, StoreRequest } from '../../../src/main/sessions/worker/requests';
import { StoreService } from '../../../src/main/sessions/worker/store-service';
import { runs, says, scripted } from '../../support/agents';
import { waitForRequests } from '../../support/run';
import { openSupervised, type Supervised } from '../../support/supervisor';

const HERE = { agentChanged: 'ask', place: null } as const;

let app: Supervised;
let service: StoreService;
/** The worker, which is at something long before it comes to a deletion. */
let begin: () => void;
const asked = vi.fn();
const pushes: Push[] = [];
const afterDeletion = vi.fn();
beforeEach(async () => {
  pushes.length = 0;
  vi.clearAllMocks();
  app = await openSupervised();
  service = new StoreService(join(app.store.home, DATABASE_FILE));
});
afterEach(async () => {
  service.close();
  await app.close();
});

function handlers() {
  const { store, holders, supervisor } = app;
  const busy = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const ask = async (type: string, input: object, report: (progress: Progress) => void) => {
    asked(type);
    await busy;
    return service.answer({ type, ...input } as StoreRequest, report);
  };
  const send = (push: Push) => pushes.push(push);
  const parts = { ...store, holders, supervisor, worker: { ask }, send, afterDeletion };
  return sessionHandlers(parts as unknown as SessionHandlerParts);
}

/** A session that was stopped as it asked, and asks again when it goes on. */
async function stopped(name: string): Promise<SessionId> {
  const { store, supervisor } = app;
  const id = await supervisor.start(await app.agent(scripted(name, [runs('touch', 'a'), runs('touch', 'b')])));
  await waitForRequests(store);
  await supervisor.stop(id);
  await vi.waitFor(() => expect(supervisor.isBusy(id)).toBe(false));
  return id;
}

describe('a session that goes on while its deletion waits for the worker', () => {
  it('is not deleted under its run, and that is said', async () => {
    const id = await stopped('a');
    const deleted = Promise.resolve(handlers().deleteSessions({ sessionIds: [id] }));
    const refused = expect(deleted).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/^It runs: “.*”\. Nothing was deleted\.$/u),
    });
    await vi.waitFor(() => expect(asked).toHaveBeenCalledWith('delete'));
    await app.supervisor.resume(id, HERE);
    await waitForRequests(app.store);
    begin();
    await refused;
    expect(app.store.reader.session(id)).not.toBeNull();
    expect(app.store.inbox.open()).toMatchObject([{ sessionId: id }]);
    expect(afterDeletion).not.toHaveBeenCalled();
  });

  it('does not keep the others that were to go', async () => {
    const [stays, goes] = [await stopped('a'), await stopped('b')];
    const deleted = Promise.resolve(handlers().deleteSessions({ sessionIds: [stays, goes] }));
    const refused = expect(deleted).rejects.toThrow('All else was deleted.');
    await vi.waitFor(() => expect(asked).toHaveBeenCalledWith('delete'));
    await app.supervisor.resume(stays, HERE);
    await waitForRequests(app.store);
    begin();
    await refused;
    expect(app.store.reader.session(stays)).not.toBeNull();
    expect(app.store.reader.session(goes)).toBeNull();
    expect(pushes[0]).toEqual({ type: 'gone', sessionIds: [goes] });
    expect(afterDeletion).toHaveBeenCalledOnce();
  });

  it('takes its title from what comes from it, and shows that', async () => {
    const id = await stopped('a');
    const cleared = await app.supervisor.clear(id);
    const shown: string[] = [];
    app.store.journal.onAppend(({ session }) => shown.push(`${session.id} ${session.title}`));
    const deleted = handlers().deleteSessions({ sessionIds: [id] });
    begin();
    await deleted;
    expect(shown).toEqual([`${cleared} Deleted session (cleared)`]);
  });

  it('does not go on once it is marked', async () => {
    const id = await stopped('a');
    await service.answer({ type: 'delete', sessionIds: [id], olderThanDays: null }, () => {});
    await expect(app.holders.take(id)).rejects.toMatchObject({ code: 'not-found' });
    await expect(app.supervisor.resume(id, HERE)).rejects.toMatchObject({ code: 'not-found' });
  });
});

it('a command that runs can be stopped, whatever became of its session', async () => {
  const { store, supervisor } = app;
  const id = await supervisor.start(await app.agent(scripted('a', [runs('sleep', '1000'), says('Done.')])));
  for (const { id: request, digest } of await waitForRequests(store)) {
    store.inbox.answer(request, digest, { type: 'approve', remember: null });
  }
  await vi.waitFor(() => expect(store.reader.session(id)?.state).toBe('acting'));
  store.database.prepare('DELETE FROM sessions WHERE id = ?').run(id);
  await supervisor.stop(id);
  await vi.waitFor(() => expect(supervisor.activeRuns).toBe(0));
});
