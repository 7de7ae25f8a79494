import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { SessionId } from '@shared/ids';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { calls, runs, says, scripted } from '../../support/agents';
import { pidsWithArgument } from '../../support/processes';
import { wholeJournal } from '../../support/store';
import { openSupervised, type Supervised } from '../../support/supervisor';

const DEAF = join(import.meta.dirname, '../../support/mcp-server.mjs');
const HOW = { agentChanged: 'ask', place: null } as const;
const TURNS = [says('One.'), calls('write_file', { path: 'a.txt', content: 'hi' }), says('Done.')];

let app: Supervised;
let supervisor: Supervised['supervisor'];
beforeEach(async () => {
  app = await openSupervised();
  ({ supervisor } = app);
});
afterEach(() => app.close());

const events = (id: SessionId) => wholeJournal(app.store, id).map(({ body }) => body);
const said = (id: SessionId) => events(id).flatMap((body) => (body.type === 'user_message' ? [body.text] : []));
const atRest = (id: SessionId) => vi.waitFor(() => expect(supervisor.isBusy(id)).toBe(false), { timeout: 15_000 });

describe('a stop while a session is about to go on', () => {
  /** A session whose agent asks nobody, at rest. */
  async function session(): Promise<SessionId> {
    const id = await supervisor.start({ ...(await app.agent(scripted('a', TURNS))), mode: 'auto' });
    await atRest(id);
    return id;
  }

  it('is heard: nothing starts, nothing is said, and it can go on later', async () => {
    const id = await session();
    const before = events(id);
    const sending = expect(supervisor.send(id, 'go on', HOW)).rejects.toThrow('Nothing was started');
    await supervisor.stop(id);
    await sending;
    expect(events(id)).toEqual(before);
    expect(supervisor.isBusy(id)).toBe(false);
    await supervisor.send(id, 'now', HOW);
    expect(said(id)).toEqual(['Go', 'now']);
    await supervisor.stop(id);
  });

  it('ends the servers that are being started for it', async () => {
    const id = await session();
    const mark = `deaf-${randomUUID()}`;
    await app.agent(scripted('a', TURNS, { mcp: [{ name: 'deaf', command: [process.execPath, DEAF, 'deaf', mark] }] }));
    const sending = expect(supervisor.send(id, 'go on', HOW)).rejects.toThrow('Nothing was started');
    await vi.waitFor(async () => expect(await pidsWithArgument(mark)).not.toEqual([]), { timeout: 15_000 });
    await supervisor.stop(id);
    await sending;
    await vi.waitFor(async () => expect(await pidsWithArgument(mark)).toEqual([]), { timeout: 15_000 });
    expect(said(id)).toEqual(['Go']);
  });
});

describe('a run that was stopped and winds down', () => {
  /** A session whose run was stopped while its command does not let itself be ended yet. */
  async function windingDown(): Promise<SessionId> {
    const stubborn = runs('sh', '-c', 'trap "" TERM; echo up; sleep 30');
    const input = await app.agent(scripted('b', [stubborn, says('As you say.')], { sandbox: { accept: ['process'] } }));
    const id = await supervisor.start({ ...input, mode: 'auto' });
    await vi.waitFor(() => expect(events(id)).toContainEqual(expect.objectContaining({ type: 'call_output' })), {
      timeout: 15_000,
    });
    await supervisor.stop(id);
    expect(supervisor.isBusy(id)).toBe(true);
    return id;
  }

  it('is followed by a run that reads what is said meanwhile', async () => {
    const id = await windingDown();
    await supervisor.send(id, 'do this instead', HOW);
    await atRest(id);
    const of = events(id).flatMap((body) =>
      body.type === 'user_message' ? [body.text] : body.type === 'run_ended' ? [body.state] : [],
    );
    expect(of).toEqual(['Go', 'stopped', 'do this instead', 'completed']);
  });

  it('is followed by none where that is stopped, too', async () => {
    const id = await windingDown();
    const sending = expect(supervisor.send(id, 'do this instead', HOW)).rejects.toThrow('Nothing was started');
    await supervisor.stop(id);
    await sending;
    await atRest(id);
    expect(said(id)).toEqual(['Go']);
  });

  it('is followed by none where the app closes', async () => {
    const id = await windingDown();
    const sending = expect(supervisor.send(id, 'do this instead', HOW)).rejects.toThrow('closing');
    await supervisor.close();
    await sending;
    expect(said(id)).toEqual(['Go']);
  });
});
