import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RunId, SessionId } from '@shared/ids';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { forkSession } from '../../../src/main/sessions/fork-session';
import { SessionRemover } from '../../../src/main/sessions/remove-session';
import { says, scripted } from '../../support/agents';
import { wholeJournal } from '../../support/store';
import { openSupervised, type Supervised } from '../../support/supervisor';

const SECRET = 'zanzibarquokka';
const HERE = { agentChanged: 'ask', place: null } as const;

let app: Supervised;
/** A session that has ended, whose first words are its title. */
let first: SessionId;
beforeEach(async () => {
  app = await openSupervised();
  const agent = await app.agent(scripted('a', [says('Done.'), says('Done again.')]));
  first = await app.supervisor.start({ ...agent, prompt: SECRET });
  await ended(first);
});
afterEach(() => app.close());

const session = (id: SessionId) => app.store.reader.session(id);
const ended = (id: SessionId) =>
  vi.waitFor(() => {
    expect(session(id)?.state).toBe('completed');
    expect(app.supervisor.isBusy(id)).toBe(false);
  });
const remove = (...ids: SessionId[]) => new SessionRemover(app.store.database).remove(ids, () => {});

async function fork(sessionId: SessionId): Promise<SessionId> {
  const seq = wholeJournal(app.store, sessionId).at(-1)?.seq ?? 0;
  const newId = SessionId.parse(randomUUID());
  await forkSession(app.store.database, { sessionId, seq, newId, runId: RunId.parse(randomUUID()) });
  return newId;
}

/** In which files of the store the secret stands. */
async function traces(): Promise<string[]> {
  const names = (await readdir(app.store.home)).filter((name) => name.includes('.sqlite'));
  const found = await Promise.all(
    names.map(async (name) => ((await readFile(join(app.store.home, name))).includes(SECRET) ? [name] : [])),
  );
  return found.flat();
}

describe('the first words of a session that is deleted', () => {
  it('go from the one that was cleared of it, which is named by its first message as before', async () => {
    const cleared = await app.supervisor.clear(first);
    expect(session(cleared)).toMatchObject({ title: `${SECRET} (cleared)`, origin: { title: SECRET } });
    expect(await remove(first)).toEqual({ deleted: [first], changed: [cleared] });
    expect(await traces()).toEqual([]);
    expect(session(cleared)).toMatchObject({
      title: 'Deleted session (cleared)',
      origin: { sessionId: first, title: 'Deleted session' },
    });
    await app.supervisor.send(cleared, 'Something else', HERE);
    await ended(cleared);
    expect(session(cleared)?.title).toBe('Something else');
  });

  it('go from all that was cleared or forked of that one, whatever it is called by now', async () => {
    const cleared = await app.supervisor.clear(first);
    const [again, copy] = [await app.supervisor.clear(cleared), await fork(cleared)];
    app.store.journal.rename(cleared, 'A title of its own');
    const { changed } = await remove(first);
    expect(new Set(changed)).toEqual(new Set([cleared, again, copy]));
    expect(await traces()).toEqual([]);
    expect(session(cleared)?.title).toBe('A title of its own');
    expect(session(again)).toMatchObject({
      title: 'Deleted session (cleared 2)',
      origin: { title: 'Deleted session (cleared)' },
    });
    expect(session(copy)?.title).toBe('Deleted session (cleared) (fork)');
  });

  it('stay in a fork, with all that it took over, and in its title', async () => {
    const copy = await fork(first);
    const cleared = await app.supervisor.clear(copy);
    expect(await remove(first)).toEqual({ deleted: [first], changed: [copy] });
    expect(session(copy)).toMatchObject({ title: `${SECRET} (fork)`, origin: { title: 'Deleted session' } });
    expect(await remove(copy)).toEqual({ deleted: [copy], changed: [cleared] });
    expect(await traces()).toEqual([]);
  });

  it('are not taken over by what is made of it just then', async () => {
    const cleared = await app.supervisor.clear(first);
    const [clearing, forking] = [app.supervisor.clear(first), fork(cleared)];
    const removing = remove(first);
    await expect(clearing).rejects.toMatchObject({ code: 'not-found' });
    await removing;
    expect(session(await forking)?.title).toBe('Deleted session (cleared) (fork)');
    expect(await traces()).toEqual([]);
  });
});
