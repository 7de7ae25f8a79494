import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Batcher } from '../../src/main/runs/batcher';
import type { ToolIo } from '../../src/main/tools/tool';
import { clockReaches } from '../support/clock';
import { probe, startRun, waitForRequests } from '../support/run';
import { openStore, type Store } from '../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => store.close());

const TURNS = [{ calls: [{ tool: 'look', input: {} }] }, { say: 'Done.' }];

describe('a tool that goes on after its call has ended', () => {
  it('adds nothing to the record, and leaves nothing of its output in memory', async () => {
    let io: ToolIo | undefined;
    const look = probe('look', {
      dangerous: false,
      run: async (given) => {
        io = given;
        return 'ok';
      },
    });
    const { run, ref, events, originals } = startRun(store, TURNS, [look.tool]);
    await run.ended;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    io?.onOutput('late secret', 11);
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    const last = events().at(-1);
    expect(last?.type).toBe('run_ended');
    const call = events().find((body) => body.type === 'call_started');
    expect(call?.type === 'call_started' && originals.read(ref.sessionId, call.callId)).toBeNull();
  });

  it('cannot ask the operator anything any more', async () => {
    let io: ToolIo | undefined;
    const look = probe('look', {
      dangerous: false,
      run: async (given) => {
        io = given;
        return 'ok';
      },
    });
    const { run, ref, events } = startRun(store, TURNS, [look.tool]);
    await run.ended;
    const asking = io?.ask({ question: 'Your password?', form: { form: 'confirm' } }, 'late');
    await expect(asking).rejects.toThrow(/over/);
    await expect(io?.confirm('Really?')).rejects.toThrow(/over/);
    expect(store.inbox.open()).toEqual([]);
    expect(events().at(-1)?.type).toBe('run_ended');
    expect(store.reader.session(ref.sessionId)?.state).toBe('completed');
  });

  it('takes its open question with it: an answer would be for nothing, and the run’s state stays its own', async () => {
    const look = probe('look', {
      dangerous: false,
      run: async ({ ask }) => {
        void ask({ question: 'Go on?', form: { form: 'confirm' } }, 'late').catch(() => undefined);
        return 'ok';
      },
    });
    const { run, ref, events } = startRun(store, TURNS, [look.tool]);
    expect(await run.ended).toBe('completed');
    expect(store.inbox.open()).toEqual([]);
    await clockReaches(Date.now() + 20);
    expect(events().find((body) => body.type === 'request_settled')).toMatchObject({
      settlement: { outcome: 'failed', by: 'app' },
    });
    expect(events().at(-1)?.type).toBe('run_ended');
    expect(store.reader.session(ref.sessionId)?.state).toBe('completed');
  });
});

describe('a store that fails', () => {
  it('throws no error out of a timer, where nobody could catch it, and the owner is told at the next chance', async () => {
    const thrown: unknown[] = [];
    const note = (error: unknown) => thrown.push(error);
    process.prependListener('uncaughtException', note);
    const batcher = new Batcher<string>(5, () => {
      throw new Error('disk full');
    });
    try {
      batcher.add('a');
      await clockReaches(Date.now() + 40);
    } finally {
      process.off('uncaughtException', note);
    }
    expect(thrown).toEqual([]);
    batcher.add('b');
    expect(() => batcher.flush()).toThrow('disk full');
  });

  it('ends the run as failed when a command’s live output cannot be recorded, and not the app', async () => {
    const look = probe('look', {
      dangerous: false,
      run: async ({ onOutput }) => {
        const append = vi.spyOn(store.journal, 'append').mockImplementationOnce(() => {
          throw new Error('disk full');
        });
        onOutput('text', 4);
        await vi.waitFor(() => expect(append).toHaveBeenCalled());
        return 'ok';
      },
    });
    const { run, events } = startRun(store, TURNS, [look.tool]);
    expect(await run.ended).toBe('failed');
    expect(events().at(-1)).toMatchObject({ type: 'run_ended', reason: expect.stringContaining('disk full') });
    await waitForRequests(store, 0);
  });
});
