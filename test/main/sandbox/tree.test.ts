import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { processesWith, sh, tempFolder, uniqueSeconds, until } from './helpers';
import { ESCAPES } from './leftovers';

describe('stopping', () => {
  it.each(ESCAPES)('ends the whole tree: %s', async (_, script) => {
    const n = uniqueSeconds();
    const stop = new AbortController();
    const running = sh(script(n), { signal: stop.signal });
    await until(async () => (await processesWith(n)).length >= 3, 'all run');
    const asked = Date.now();
    stop.abort();
    expect((await running).end).toEqual({ type: 'stopped' });
    expect(Date.now() - asked).toBeLessThan(10_000);
    expect(await processesWith(n)).toEqual([]);
  });

  it('asks politely first: a command that cleans up on SIGTERM does so, and its words are kept', async () => {
    const stop = new AbortController();
    const { end, output } = await sh('trap "echo bye; exit 3" TERM; echo ready; while :; do sleep 0.05; done', {
      signal: stop.signal,
      onOutput: (text) => text.includes('ready') && stop.abort(),
    });
    expect(end).toEqual({ type: 'stopped' });
    expect(output).toContain('bye\n');
  });

  it('waits two seconds before it stops asking', async () => {
    const stop = new AbortController();
    let asked = 0;
    const { end } = await sh('trap "" TERM; echo ready; while :; do sleep 0.05; done', {
      signal: stop.signal,
      onOutput: (text) => {
        if (!text.includes('ready')) return;
        asked = performance.now();
        stop.abort();
      },
    });
    expect(end).toEqual({ type: 'stopped' });
    expect(performance.now() - asked).toBeGreaterThan(1_900);
    expect(performance.now() - asked).toBeLessThan(5_000);
  });

  it('ends a tree that goes on forking', async () => {
    const n = uniqueSeconds();
    const folder = await tempFolder();
    const script = join(folder, `fork-${n}`);
    await writeFile(script, `#!/bin/sh\ntrap '' TERM\nsleep 0.02\n"$0" &\nexit 0\n`);
    await chmod(script, 0o755);
    const stop = new AbortController();
    const running = sh(`setsid "${script}" & "${script}" & sleep ${n}`, { signal: stop.signal });
    await until(async () => (await processesWith(`fork-${n}`)).length > 0, 'it forks');
    stop.abort();
    await running;
    expect(await processesWith(n)).toEqual([]);
  });
});

describe('the time limit', () => {
  it('ends the tree and says so', async () => {
    const n = uniqueSeconds();
    const { end, output } = await sh(`echo before; setsid sleep ${n} & sleep ${n}`, { timeoutMs: 300 });
    expect(end).toEqual({ type: 'timed-out' });
    expect(output).toBe('before\n');
    expect(await processesWith(n)).toEqual([]);
  });
});

describe('a command that ends by itself', () => {
  it.each(ESCAPES)('leaves nothing behind: %s', async (_, script) => {
    const n = uniqueSeconds();
    // The same leftovers, but the command itself does not wait for them.
    const background = script(n).replace(new RegExp(`(;|&) sleep ${n}$`), '$1 echo done');
    const { end, output } = await sh(background);
    expect(end).toEqual({ type: 'exited', exitCode: 0 });
    expect(output).toContain('done\n');
    expect(await processesWith(n)).toEqual([]);
  });

  it('is not held up by a grandchild that holds its output', async () => {
    const n = uniqueSeconds();
    const { durationMs, output } = await sh(`sleep ${n} & echo done`);
    expect(output).toBe('done\n');
    expect(durationMs).toBeLessThan(1_500);
  });

  it('leaves alone what is not of its tree', async () => {
    const n = uniqueSeconds();
    const stop = new AbortController();
    const other = sh(`setsid sleep ${n} & sleep ${n}`, { signal: stop.signal });
    await until(async () => (await processesWith(`sleep\0${n}`)).length === 2, 'the other one runs');
    await sh('setsid sleep 100 & echo done');
    expect(await processesWith(`sleep\0${n}`)).toHaveLength(2);
    stop.abort();
    await other;
  });
});
