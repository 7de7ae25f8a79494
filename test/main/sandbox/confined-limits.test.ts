import { chown, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type SandboxLimits } from '../../../src/main/sandbox/policy';
import { type ConfinedOptions, confinable, confined, confinedSh } from './confined';
import { processesWith, tempFolder, uniqueSeconds } from './helpers';

const MIB = 1024 ** 2;

const limited = (limits: Partial<SandboxLimits>, options: ConfinedOptions = {}): ConfinedOptions => ({
  ...options,
  policy: { ...options.policy, limits: { ...DEFAULT_LIMITS, ...limits } },
});

describe.runIf(confinable)('a limit is kept, and told when it is reached', () => {
  it.each(['as it is', 'as another user'])(
    'a fork bomb, %s',
    async (user) => {
      const workspace = await tempFolder();
      if (user !== 'as it is') await chown(workspace, 54_323, 54_323);
      const n = uniqueSeconds();
      const bomb = `b() { b | b & sleep ${n}; }; b; sleep ${n}`;
      const { end, notes } = await confinedSh(bomb, limited({ processes: 100 }, { workspace, timeoutMs: 3_000 }));
      expect(end.type).not.toBe('not-started');
      expect(notes?.join(' ')).toMatch(/100 processes/);
      expect(await processesWith(n)).toEqual([]);
    },
    60_000,
  );

  it('a fork bomb, and not the commands after it', async () => {
    const bomb = await confinedSh(
      'b() { b | b & sleep 60; }; b; sleep 60',
      limited({ processes: 50 }, { timeoutMs: 1_000 }),
    );
    expect(bomb.notes?.join(' ')).toMatch(/50 processes/);
    // More than there can be groups that were left by others.
    for (let count = 0; count < 10; count++) {
      expect(await confinedSh('echo fine', limited({ processes: 50 }))).not.toHaveProperty('notes');
    }
  }, 60_000);

  it('memory of one process', async () => {
    const script = 'x = []\nwhile True: x.append(bytearray(16 << 20))';
    const { end, notes } = await confined(['/usr/bin/python3', '-c', script], limited({ memoryBytes: 256 * MIB }));
    expect(end).not.toMatchObject({ type: 'exited', exitCode: 0 });
    expect(notes?.join(' ')).toMatch(/256 MiB of memory/);
  });

  it('memory of many processes together', async () => {
    const script = 'import time; x = b"x" * (90 << 20); time.sleep(60)';
    const many = `for i in 1 2 3 4 5; do /usr/bin/python3 -c '${script}' & done; wait`;
    const { end, notes } = await confinedSh(many, limited({ memoryBytes: 256 * MIB }, { timeoutMs: 30_000 }));
    expect(end.type).toBe('signalled');
    expect(notes?.join(' ')).toMatch(/together .* 256 MiB/);
  });

  it('processor time', async () => {
    const { end, notes } = await confinedSh('while :; do :; done', limited({ cpuSeconds: 1 }, { timeoutMs: 60_000 }));
    expect(end).toEqual({ type: 'exited', exitCode: 128 + 24 });
    expect(notes?.join(' ')).toMatch(/1 seconds of processor time/);
  }, 70_000);

  it('the size of a file', async () => {
    const workspace = await tempFolder();
    const { notes } = await confinedSh('head -c 20000000 /dev/zero > big', limited({ fileBytes: MIB }, { workspace }));
    expect(notes?.join(' ')).toMatch(/1 MiB/);
    expect((await stat(join(workspace, 'big'))).size).toBe(MIB);
  });

  it('open files', async () => {
    const script = 'files = [open("/dev/null") for _ in range(100)]';
    const { notes } = await confined(['/usr/bin/python3', '-c', script], limited({ openFiles: 40 }));
    expect(notes?.join(' ')).toMatch(/40 files open/);
  });

  it('the temporary folder, the home, shared memory', async () => {
    for (const place of ['/tmp', '"$HOME"', '/dev/shm']) {
      const { output, notes } = await confinedSh(`head -c 3000000000 /dev/zero > ${place}/big; ls /; exit 1`, {
        timeoutMs: 60_000,
      });
      expect(output).toMatch(/No space left/);
      expect(notes?.join(' ')).toMatch(/in memory/);
    }
  }, 120_000);

  it('and no command can raise it', async () => {
    const script = 'ulimit -n 5000 || ulimit -f unlimited || ulimit -t unlimited || echo held';
    expect((await confinedSh(script)).output).toContain('held');
  });
});
