import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { bundle } from './bundle';
import { confinable, confined, confinedSh } from './confined';
import { processesWith, tempFolder, uniqueSeconds, until } from './helpers';
import { ESCAPES } from './leftovers';

describe.runIf(confinable)('in the first tier', () => {
  it.each(ESCAPES)('stopping ends the whole tree: %s', async (_, script) => {
    const n = uniqueSeconds();
    const stop = new AbortController();
    const running = confinedSh(script(n), { signal: stop.signal });
    await until(async () => (await processesWith(`sleep\0${n}`)).length >= 1, 'it runs');
    const asked = Date.now();
    stop.abort();
    expect((await running).end).toEqual({ type: 'stopped' });
    expect(Date.now() - asked).toBeLessThan(10_000);
    expect(await processesWith(n)).toEqual([]);
  });

  it.each(ESCAPES)('the end of the command is the end of its tree: %s', async (_, script) => {
    const n = uniqueSeconds();
    const background = script(n).replace(new RegExp(`(;|&) sleep ${n}$`), '$1 echo done');
    const { end, output } = await confinedSh(background);
    expect([end, output]).toEqual([{ type: 'exited', exitCode: 0 }, 'done\n']);
    expect(await processesWith(n)).toEqual([]);
  });

  it('stopping asks first: what cleans up on SIGTERM does so, in its own session as well', async () => {
    const workspace = await tempFolder();
    const stop = new AbortController();
    const script =
      'setsid sh -c \'trap "echo child; exit" TERM; touch ready; while :; do sleep 0.02; done\' & trap "wait; echo bye; exit 3" TERM; while :; do sleep 0.02; done';
    const running = confinedSh(script, { signal: stop.signal, workspace });
    await until(async () => (await readdir(workspace)).includes('ready'), 'it is ready');
    stop.abort();
    const { end, output } = await running;
    expect(end).toEqual({ type: 'stopped' });
    expect(output).toContain('child\n');
    expect(output).toContain('bye\n');
  });

  it('the time limit ends it', async () => {
    const n = uniqueSeconds();
    const { end, output } = await confinedSh(`echo before; setsid sleep ${n} & sleep ${n}`, { timeoutMs: 400 });
    expect([end, output]).toEqual([{ type: 'timed-out' }, 'before\n']);
    expect(await processesWith(n)).toEqual([]);
  });

  it('a stop before it began is a stop', async () => {
    expect((await confinedSh('sleep 100', { signal: AbortSignal.abort() })).end).toEqual({ type: 'stopped' });
  });

  it('a stop at any moment of the start is a stop', async () => {
    const workspace = await tempFolder();
    const n = uniqueSeconds();
    // Each one some turns of the event loop later than the one before.
    for (let turns = 0; turns < 60; turns += 3) {
      const stop = new AbortController();
      const running = confinedSh(`sleep ${n}`, { signal: stop.signal, workspace });
      for (let turn = 0; turn < turns; turn++) await nextTurn();
      stop.abort();
      expect((await running).end).toEqual({ type: 'stopped' });
      expect(await processesWith(n)).toEqual([]);
      expect(await readdir(workspace)).toEqual([]);
    }
  }, 60_000);

  it('what turns out not to be shown is not started, and nothing is left of the attempt', async () => {
    const [workspace, elsewhere] = [await tempFolder(), await tempFolder()];
    const n = uniqueSeconds();
    const program = join(elsewhere, 'program');
    await writeFile(program, '#!/bin/sh\ntouch ran', { mode: 0o755 });
    const { end } = await confined([program, n], { workspace });
    expect(end).toMatchObject({ type: 'not-started', message: expect.stringContaining('is not shown in the sandbox') });
    expect(await processesWith(n)).toEqual([]);
    expect(await readdir(workspace)).toEqual([]);
  });

  it('kill -9 of the app ends it, whatever it did to stay', async () => {
    const n = uniqueSeconds();
    const folder = await tempFolder();
    const script = await bundle('run-confined.ts', folder);
    const command = `trap "" TERM HUP; setsid sh -c "trap '' TERM HUP; sleep ${n} & sleep ${n}" & sleep ${n}`;
    const app: ChildProcess = spawn(process.execPath, [script, randomUUID(), command], { stdio: 'inherit' });
    await until(async () => (await processesWith(`sleep\0${n}`)).length === 3, 'all run');
    app.kill('SIGKILL');
    await until(async () => (await processesWith(n)).length === 0, 'all are gone');
  });

  it('leaves no descriptor open in the app, and no file behind', async () => {
    const count = async (): Promise<number> => (await readdir('/proc/self/fd')).length;
    const workspace = await tempFolder();
    // What is kept ready for the next command, of plain words and of others.
    await confinedSh('true', { workspace });
    await confinedSh('true; true', { workspace });
    const before = await count();
    await Promise.all(Array.from({ length: 6 }, () => confinedSh('echo x; exit 1', { workspace })));
    await confinedSh('sleep 100', { workspace, timeoutMs: 20 });
    expect(await count()).toBeLessThanOrEqual(before);
    expect(await readdir(workspace)).toEqual([]);
  });
});
