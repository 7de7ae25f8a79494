import { randomUUID } from 'node:crypto';
import { chown, readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createBwrapTier } from '../../../src/main/sandbox/bwrap/bwrap-tier';
import { findBwrapHost } from '../../../src/main/sandbox/bwrap/host';
import { DEFAULT_LIMITS, type SandboxLimits } from '../../../src/main/sandbox/policy';
import { seccompFilter } from '../../../src/main/sandbox/seccomp/filter';
import { type Disk, mountDisk, NO_DISKS } from '../../support/disk';
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

  it('processor time, where the warning is not heeded', async () => {
    const script = `perl -e '$SIG{XCPU} = "IGNORE"; 1 while 1'; exit 3`;
    const { end, notes } = await confinedSh(script, limited({ cpuSeconds: 1 }, { timeoutMs: 60_000 }));
    expect(end).toEqual({ type: 'exited', exitCode: 3 });
    expect(notes).toEqual(['One of its processes was ended after 1 seconds of processor time.']);
  }, 70_000);

  it('processor time of a process of a process', async () => {
    const script = 'sh -c "while :; do :; done"; exit 3';
    const { notes } = await confinedSh(script, limited({ cpuSeconds: 1 }, { timeoutMs: 60_000 }));
    expect(notes).toEqual(['One of its processes was ended after 1 seconds of processor time.']);
  }, 70_000);

  it.each([0, 54_323])(
    'where there is no prlimit, as user %i',
    async (uid) => {
      const host = await findBwrapHost();
      if (host === null) throw new Error('There is no bubblewrap here.');
      const bare = { ...host, hasPrlimit: false };
      const sandbox = createBwrapTier({ instanceId: randomUUID(), host: bare, filter: seccompFilter(), hidden: [] });
      expect(sandbox.tier.notes).toEqual([expect.stringMatching(/prlimit is missing.*Install/)]);
      const workspace = await tempFolder();
      await chown(workspace, uid, uid);
      const few = limited({ cpuSeconds: 100, fileBytes: MIB, openFiles: 40, processes: 50 }, { sandbox, workspace });
      const { output } = await confinedSh('ulimit -t; ulimit -f; ulimit -n; ulimit -c', few);
      expect(output.split('\n').slice(0, 4)).toEqual(['100', '2048', '40', '0']);
      // Nothing but the looks limits it, so it has an end of its own.
      const many = 'i=0; while [ $i -lt 400 ]; do sleep 60 & i=$((i+1)); done; wait';
      const bomb = await confinedSh(many, { ...few, timeoutMs: 3_000 });
      expect(bomb.notes?.join()).toMatch(/50 processes/);
    },
    60_000,
  );

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

/** Many files, each far below the limit of one, until it is ended or nothing fits any more. */
const FILLER = 'i=0; while head -c 400000 /dev/zero > f$i; do i=$((i+1)); done; echo full';

describe.runIf(confinable && NO_DISKS === null)('no disk is filled', () => {
  const disks: Disk[] = [];
  const disk = async (...how: Parameters<typeof mountDisk>): Promise<Disk> => {
    const mounted = await mountDisk(...how);
    disks.push(mounted);
    return mounted;
  };
  const freeOn = async ({ path }: Disk): Promise<number> => {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  };
  afterEach(() => {
    for (const mounted of disks.splice(0)) mounted.unmount();
  });

  it.each([
    ['as it is', 0],
    ['as another user', 54_323],
  ])(
    'that the workspace is on, %s',
    async (_, uid) => {
      const small = await disk(1_024 * MIB, { uid });
      const { end, output, notes } = await confinedSh(FILLER, { workspace: small.path });
      expect(end).toEqual({ type: 'signalled', signal: 'SIGKILL' });
      expect(output).toBe('');
      expect(notes).toEqual([
        `Sayso ended it: less than 102 MiB was free on the disk of ${small.path}. What it wrote is still there.`,
      ]);
      expect(await freeOn(small)).toBeGreaterThan(0);
    },
    60_000,
  );

  it('that the agent file opens for writing', async () => {
    const [small, workspace] = [await disk(1_024 * MIB), await tempFolder()];
    const policy = { write: [small.path] };
    const { output, notes } = await confinedSh(`cd ${small.path}; ${FILLER}`, { workspace, policy });
    expect(output).toBe('');
    expect(notes?.join()).toContain(`on the disk of ${small.path}`);
  }, 60_000);

  it('that is mounted in what can be written', async () => {
    const workspace = await tempFolder();
    const small = await disk(1_024 * MIB, { at: join(workspace, 'a b') });
    const { output, notes } = await confinedSh(`cd "a b"; ${FILLER}`, { workspace });
    expect(output).toBe('');
    expect(notes?.join()).toContain(`on the disk of ${small.path}`);
  }, 60_000);

  it('with empty files', async () => {
    const small = await disk(64 * MIB, { files: 20_000 });
    const script = 'perl -e \'for (1..30000) { open(my $f, ">", "f$_") or print("full\\n"), last }\'';
    const { output, notes } = await confinedSh(script, { workspace: small.path });
    expect(output).toBe('');
    expect(notes?.join()).toMatch(/fewer than \d+ more files/);
  }, 60_000);

  it('at once, by reserving all of it', async () => {
    const small = await disk(256 * MIB);
    const { output } = await confinedSh('fallocate -l 250M big; ls -l big', { workspace: small.path });
    expect(output).toMatch(/not supported(.|\n)* 0 .* big/);
    const posix =
      'import os; f = os.open("big", os.O_RDWR | os.O_CREAT); os.posix_fallocate(f, 0, 1 << 20); print("fell back")';
    expect((await confined(['/usr/bin/python3', '-c', posix], { workspace: small.path })).output).toBe('fell back\n');
  });

  it('and one that was nearly full before is still worked on', async () => {
    const small = await disk(256 * MIB);
    small.fill(8 * MIB);
    const script = 'for i in 1 2 3; do head -c 1000000 /dev/zero > f$i; sleep 0.3; done; echo done';
    expect(await confinedSh(script, { workspace: small.path })).toMatchObject({
      end: { type: 'exited', exitCode: 0 },
      output: 'done\n',
    });
    expect((await readdir(small.path)).length).toBe(4);
  });
});
