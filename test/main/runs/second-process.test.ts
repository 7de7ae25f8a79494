import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { EventBody } from '@shared/events';
import type { SessionId } from '@shared/ids';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ForeignRuns } from '../../../src/main/runs/foreign-runs';
import type { ProcessIdentity } from '../../../src/main/runs/process-identity';
import { recoverInterrupted } from '../../../src/main/runs/recovery';
import { runs, says, scripted } from '../../support/agents';
import { waitForRequests } from '../../support/run';
import { wholeJournal } from '../../support/store';
import { openSupervised, type Supervised } from '../../support/supervisor';

/** With its agent as it is, in its own folder. */
const HERE = { agentChanged: 'ask', place: null } as const;

let other: ChildProcess;
/** The app as the other process has it, and as this one has it: on one data folder. */
let theirs: Supervised;
let ours: Supervised;
let sessionId: SessionId;
const ended = vi.fn(async (_process: ProcessIdentity) => undefined);

/** A session that waits for the operator, in another process that lives. */
beforeEach(async () => {
  ended.mockClear();
  other = spawn('sleep', ['1000']);
  await once(other, 'spawn');
  theirs = await openSupervised({ self: { pid: other.pid ?? 0, started: 'unknown' } });
  ours = await openSupervised({ home: theirs.store.home, endCommandsOf: ended });
  const files = scripted('a', [runs('touch', 'made'), says('Done.')]);
  const { agentId } = await ours.agent(files);
  sessionId = await theirs.supervisor.start({ agentId, prompt: 'Go', workspace: theirs.workspace, mode: null });
  await waitForRequests(theirs.store);
});
afterEach(async () => {
  await dies();
  await ours.close();
  await theirs.close();
});

/** The other process ends without a word. */
async function dies(): Promise<void> {
  if (other.exitCode !== null || other.signalCode !== null) return;
  const exit = once(other, 'exit');
  other.kill('SIGKILL');
  await exit;
}

const bodies = (): EventBody[] => wholeJournal(ours.store, sessionId).map(({ body }) => body);
const ends = () => bodies().filter(({ type }) => type === 'run_ended');

describe('a session that another living process runs', () => {
  it('is held from the moment at which it is on record', async () => {
    const seen: boolean[] = [];
    theirs.store.journal.onAppend(({ session }) => seen.push(ours.holders.isHeldByOther(session.id)));
    const { agentId } = await theirs.agent(scripted('b', [runs('touch', 'made')]));
    const id = await theirs.supervisor.start({ agentId, prompt: 'Go', workspace: theirs.workspace, mode: null });
    expect(seen.slice(0, 1)).toEqual([true]);
    expect([...(await ours.holders.heldByOthers()).keys()]).toEqual(expect.arrayContaining([id, sessionId]));
    expect(theirs.holders.isHeldByOther(id)).toBe(false);
  });

  it('is not to be gone on with, spoken to or stopped from here, and it is said who has it', async () => {
    const refused = { code: 'conflict', message: expect.stringContaining(`process ${other.pid}, since`) };
    await expect(ours.supervisor.resume(sessionId, HERE)).rejects.toMatchObject(refused);
    await expect(ours.supervisor.send(sessionId, 'Well?', HERE)).rejects.toMatchObject(refused);
    await expect(ours.supervisor.stop(sessionId)).rejects.toMatchObject(refused);
    expect(ended).not.toHaveBeenCalled();
    expect(bodies().filter(({ type }) => type === 'run_started' || type === 'run_ended')).toHaveLength(1);
  });

  it('is none that a crash has left', () => {
    const { reader, journal, inbox } = ours.store;
    recoverInterrupted(reader, journal, inbox, (id) => !ours.holders.isHeldByOther(id));
    expect(ends()).toEqual([]);
    expect(bodies().filter(({ type }) => type === 'request_settled')).toEqual([]);
  });
});

describe('a session whose process has ended without a word', () => {
  it('is gone on with here: its run is ended on record first, and what the process left running before that', async () => {
    await dies();
    await ours.supervisor.resume(sessionId, HERE);
    expect(ended).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ pid: other.pid }));
    expect(ends()).toMatchObject([{ state: 'interrupted' }]);
    const at = (wanted: EventBody['type']) => bodies().findLastIndex(({ type }) => type === wanted);
    expect(at('run_ended')).toBeLessThan(at('run_started'));
    const [request] = await waitForRequests(ours.store);
    expect(request).toMatchObject({ kind: 'approval', sessionId });
  });

  it('is put right while this one runs', async () => {
    const settled = vi.fn();
    const errors = vi.fn();
    const foreign = new ForeignRuns({ holders: ours.holders, settle: settled, onError: errors });
    foreign.watch((await ours.holders.heldByOthers()).keys());
    await dies();
    await vi.waitUntil(() => settled.mock.calls.length > 0, { timeout: 10_000 });
    expect(settled).toHaveBeenCalledExactlyOnceWith(sessionId);
    expect(ended).toHaveBeenCalledOnce();
    expect(errors).not.toHaveBeenCalled();
    foreign.close();
  });

  it('is let be as long as the process lives', async () => {
    const looks = vi.spyOn(ours.holders, 'heldByOthers');
    const settled = vi.fn();
    const foreign = new ForeignRuns({ holders: ours.holders, settle: settled, onError: settled });
    foreign.watch([sessionId]);
    await vi.waitUntil(() => looks.mock.calls.length >= 2, { timeout: 10_000 });
    expect(settled).not.toHaveBeenCalled();
    foreign.close();
  });
});
