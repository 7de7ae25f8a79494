import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventOf } from '@shared/events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { THREADS } from '../../../../src/main/desktop/thread-pool';
import { computerTools } from '../../../../src/main/tools/registry';
import { Unanswered } from '../../../../src/main/tools/tool';
import { canHang, hungMount } from '../../../support/hung-mount';
import { startRun } from '../../../support/run';
import { openStore, type Store } from '../../../support/store';
import { bundle } from '../../sandbox/bundle';
import { contextOf, prepare, quietIo, tempFolder } from './helpers';

let workspace = '';
let release: (() => void) | null = null;

beforeEach(async () => {
  workspace = await tempFolder();
  await mkdir(join(workspace, 'mnt'));
  await writeFile(join(workspace, 'mnt/file'), 'text\n');
  await writeFile(join(workspace, 'file'), 'text\n');
});
afterEach(() => {
  release?.();
  release = null;
});
const hang = async (): Promise<void> => {
  release = await hungMount(join(workspace, 'mnt'));
};

describe.runIf(canHang)('a file system that does not answer', () => {
  let store: Store;
  beforeEach(async () => {
    store = await openStore();
  });
  afterEach(() => store.close());

  const results = (events: ReturnType<ReturnType<typeof startRun>['events']>): string[] =>
    events.filter((body): body is EventOf<'call_result'> => body.type === 'call_result').map(({ content }) => content);
  const turns = [
    { calls: [{ tool: 'read_file', input: { path: 'mnt/file' } }] },
    { calls: [{ tool: 'read_file', input: { path: 'file' } }] },
    { say: 'Over.' },
  ];

  it('costs a call its time, and the run goes on', async () => {
    await hang();
    const { run, events } = startRun(store, turns, computerTools(), {
      context: contextOf(workspace, { toolTimeoutMs: 300 }),
      settings: { limits: { toolTimeoutMs: 300 } },
    });
    expect(await run.ended).toBe('completed');
    expect(results(events())).toEqual([expect.stringContaining('the system did not answer'), 'text\n']);
  });

  it('does not keep a run from being stopped', async () => {
    await hang();
    const { run } = startRun(store, turns, computerTools(), { context: contextOf(workspace) });
    run.stop();
    expect(await run.ended).toBe('stopped');
  });

  it('lets go of a call that had begun, and says that it may still come to be done', async () => {
    const prepared = await prepare(contextOf(workspace), 'write_file', { path: 'mnt/file', content: 'new' });
    await hang();
    const stop = new AbortController();
    const executed = prepared.execute(quietIo({ signal: stop.signal }));
    stop.abort(new Error('over'));
    await expect(executed).rejects.toBeInstanceOf(Unanswered);
  });

  it('does not take the threads away from the rest of the app', async () => {
    const script = await bundle('use-hung.ts', await tempFolder(), import.meta.dirname);
    await hang();
    const printed = await new Promise<string>((resolve) => {
      // The app sets it itself, which a module cannot: it was read from the disk with the pool.
      const env = { ...process.env, UV_THREADPOOL_SIZE: String(THREADS) };
      execFile(process.execPath, [script, workspace], { env, timeout: 10_000, killSignal: 'SIGKILL' }, (_, stdout) =>
        resolve(stdout),
      );
    });
    expect(printed).toBe('alive, 0 settled\n');
  });
});
