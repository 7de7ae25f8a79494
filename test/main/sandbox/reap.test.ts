import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createProcessTier } from '../../../src/main/sandbox/process-tier';
import { folderId, instanceId, reapLeftovers } from '../../../src/main/sandbox/reap';
import { bundle } from './bundle';
import { processesWith, sh, tempFolder, uniqueSeconds, until } from './helpers';

describe('leftovers of an app that was killed', () => {
  it('are ended by the next start of the same instance, and counted', async () => {
    const n = uniqueSeconds();
    const instance = randomUUID();
    const script = await bundle('run-in-tier.ts', await tempFolder());
    const command = `setsid sleep ${n} & setsid sh -c "env -i sleep ${n}; true" & sleep ${n}`;
    const app = spawn(process.execPath, [script, instance, command], { stdio: 'ignore' });
    const exited = once(app, 'exit');
    await until(async () => (await processesWith(`sleep\0${n}`)).length === 3, 'all three run');
    app.kill('SIGKILL');
    await exited;
    const left = await processesWith(n);
    expect(left.length).toBeGreaterThanOrEqual(4);

    expect(await reapLeftovers(randomUUID())).toBe(0);
    expect(await processesWith(n)).toEqual(left);
    expect(await reapLeftovers(instance)).toBe(left.length);
    expect(await processesWith(n)).toEqual([]);
    expect(await reapLeftovers(instance)).toBe(0);
  });

  it('are only those of this instance, though another id may begin the same', async () => {
    const n = uniqueSeconds();
    const instance = randomUUID();
    const stop = new AbortController();
    const environment = { PATH: process.env.PATH ?? '', OTHER: `SAYSO_CALL=${instance}.x` };
    const running = sh(`sleep ${n}`, { signal: stop.signal, environment });
    await until(async () => (await processesWith(`sleep\0${n}`)).length === 1, 'it runs');
    expect(await reapLeftovers(instance)).toBe(0);
    stop.abort();
    await running;
  });

  it('are none of what another instance on the same folder runs', async () => {
    const [home, mine, other] = [randomUUID(), uniqueSeconds(), uniqueSeconds()];
    const [dead, living] = [11, 22].map((pid) => instanceId(home, { pid, started: 'then' }));
    if (dead === undefined || living === undefined) throw new Error('no ids');
    const stop = new AbortController();
    const io = { signal: stop.signal, onOutput: () => undefined };
    const cwd = await tempFolder();
    const run = (id: string, seconds: string) =>
      createProcessTier(id).run(
        {
          argv: ['sh', '-c', `setsid sleep ${seconds} & sleep ${seconds}`],
          cwd,
          workspace: cwd,
          environment: {},
          timeoutMs: 60_000,
        },
        io,
      );
    const running = [run(dead, mine), run(living, other)];
    const count = async (seconds: string) => (await processesWith(`sleep\0${seconds}`)).length;
    await until(async () => (await count(mine)) === 2 && (await count(other)) === 2, 'both run');
    expect(await reapLeftovers(folderId(home), [living])).toBe(3);
    expect([await count(mine), await count(other)]).toEqual([0, 2]);
    expect(await reapLeftovers(living)).toBe(3);
    stop.abort();
    await Promise.all(running);
  });

  it('are never the app itself, nor who started it', async () => {
    const instance = randomUUID();
    const script = await bundle('reap-self.ts', await tempFolder());
    const app = spawn('sh', ['-c', '"$@"; echo shell lives', 'sh', process.execPath, script, instance], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, SAYSO_CALL: `${instance}.${randomUUID()}` },
    });
    expect((await app.stdout.setEncoding('utf8').toArray()).join('')).toBe('reaped 0\nshell lives\n');
  });
});
