import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Holders } from '../../../src/main/runs/holders';
import { isAlive, ownIdentity, type ProcessIdentity } from '../../../src/main/runs/process-identity';
import { recoverInterrupted } from '../../../src/main/runs/recovery';
import { openStore, type Store, startSession } from '../../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => store.close());

const holder = (self: ProcessIdentity, living: readonly number[]) =>
  new Holders(store.database, self, async ({ pid }) => living.includes(pid));

describe('who runs a session', () => {
  it('is one process: the second is told who it is, and may when the first has let go', async () => {
    const { sessionId } = startSession(store.journal);
    const [first, second] = [holder({ pid: 11, started: 'a' }, [11, 22]), holder({ pid: 22, started: 'b' }, [11, 22])];
    await first.take(sessionId);
    await first.take(sessionId);
    await expect(second.take(sessionId)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/Another Sayso runs this session: process 11, since/),
    });
    expect(await second.heldByOthers()).toEqual(new Map([[sessionId, expect.objectContaining({ pid: 11 })]]));
    second.release(sessionId);
    expect(await first.heldByOthers()).toEqual(new Map());
    first.release(sessionId);
    await second.take(sessionId);
  });

  it('is nobody after a crash', async () => {
    const { sessionId } = startSession(store.journal);
    await holder({ pid: 11, started: 'a' }, []).take(sessionId);
    const next = holder({ pid: 22, started: 'b' }, [22]);
    expect(await next.heldByOthers()).toEqual(new Map());
    await next.take(sessionId);
  });

  it('is left alone when another process starts', async () => {
    const [held, left] = [startSession(store.journal), startSession(store.journal)];
    expect(recoverInterrupted(store.reader, store.journal, store.inbox, (id) => id !== held.sessionId)).toBe(1);
    expect(store.reader.session(held.sessionId)?.state).toBe('starting');
    expect(store.reader.session(left.sessionId)?.state).toBe('interrupted');
  });

  it('is known by its start: not every process of that pid is the same one', async () => {
    const self = await ownIdentity();
    expect(await isAlive(self)).toBe(true);
    expect(await isAlive({ ...self, started: randomUUID() })).toBe(false);
    const child = spawn(process.execPath, ['-e', '']);
    const { pid } = child;
    if (pid === undefined) throw new Error('nothing started');
    await once(child, 'exit');
    expect(await isAlive({ pid, started: 'unknown' })).toBe(false);
  });
});
