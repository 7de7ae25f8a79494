import { randomUUID } from 'node:crypto';
import { chown } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY, type SandboxLimits } from '../../../src/main/sandbox/policy';
import type { ProcessResult } from '../../../src/main/sandbox/process';
import { createUnshareTier, findUnshareHost, type UnshareHost } from '../../../src/main/sandbox/unshare-tier';
import { mountDisk, NO_DISKS } from '../../support/disk';
import { confinable } from './confined';
import { processesWith, tempFolder, uniqueSeconds } from './helpers';

const MIB = 1024 ** 2;
const found = confinable ? await findUnshareHost() : null;

interface Limited {
  readonly workspace?: string;
  readonly timeoutMs?: number;
  readonly host?: UnshareHost;
}

async function limited(script: string, limits: Partial<SandboxLimits>, options: Limited = {}): Promise<ProcessResult> {
  const host = options.host ?? found;
  if (host === null) throw new Error('There is no unshare here.');
  const workspace = options.workspace ?? (await tempFolder());
  return createUnshareTier(randomUUID(), host).run(
    {
      argv: ['/bin/sh', '-c', script],
      cwd: workspace,
      workspace,
      environment: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/root' },
      timeoutMs: options.timeoutMs ?? 60_000,
      policy: { ...DEFAULT_POLICY, limits: { ...DEFAULT_POLICY.limits, ...limits } },
    },
    { signal: new AbortController().signal, onOutput: () => undefined },
  );
}

describe.runIf(found !== null)('in the tier unshare a limit is kept, and told when it is reached', () => {
  it.each(['as it is', 'as another user'])(
    'processes, %s',
    async (user) => {
      const workspace = await tempFolder();
      if (user !== 'as it is') await chown(workspace, 54_323, 54_323);
      const n = uniqueSeconds();
      // No more than the machine can bear, should nothing limit it.
      const bomb = `i=0; while [ $i -lt 400 ]; do sleep ${n} & i=$((i+1)); done; wait`;
      const { notes } = await limited(bomb, { processes: 100 }, { workspace, timeoutMs: 3_000 });
      expect(notes?.join(' ')).toMatch(/100 processes/);
      expect(await processesWith(n)).toEqual([]);
    },
    90_000,
  );

  it('memory of many processes together', async () => {
    const one = `perl -e 'my $n = 90 << 20; my $x = "x" x $n; sleep 60'`;
    const { end, notes } = await limited(`for i in 1 2 3 4 5; do ${one} & done; wait`, { memoryBytes: 256 * MIB });
    expect(end.type).toBe('signalled');
    expect(notes).toEqual(['Sayso ended it: together its processes used more than 256 MiB of memory.']);
  }, 70_000);

  // The command is the first process of its namespace, to which the kernel sends no warning.
  it.each([
    ['processor time', 'while :; do :; done', /^One of its processes was ended after 1 seconds of processor time/],
    ['processor time of a child', 'sh -c "while :; do :; done"; exit 3', /ended after 1 seconds of processor time/],
    ['the size of a file', 'head -c 3000000 /dev/zero > big', /larger than 1 MiB/],
  ])(
    '%s',
    async (_, script, note) => {
      const { end, notes } = await limited(script, { cpuSeconds: 1, fileBytes: MIB });
      expect(end).not.toEqual({ type: 'exited', exitCode: 0 });
      expect(notes?.join()).toMatch(note);
    },
    70_000,
  );

  it('without prlimit as well, but for how processes are counted, which its notes say', async () => {
    if (found === null) throw new Error('There is no unshare here.');
    const host = { ...found, hasPrlimit: false };
    expect(createUnshareTier('x', host).tier.notes).toEqual([expect.stringMatching(/prlimit is missing.*Install/)]);
    const { output } = await limited(
      'ulimit -t; ulimit -f; ulimit -n',
      { cpuSeconds: 9, fileBytes: MIB, openFiles: 40 },
      { host },
    );
    expect(output).toBe('9\n2048\n40\n');
  });

  it.runIf(NO_DISKS === null)(
    'what is to stay free of a disk',
    async () => {
      const small = await mountDisk(1_024 * MIB);
      try {
        const script = 'i=0; while head -c 400000 /dev/zero > f$i; do i=$((i+1)); done; echo full';
        const { output, notes } = await limited(script, {}, { workspace: small.path });
        expect(output).toBe('');
        expect(notes?.join()).toContain(`on the disk of ${small.path}`);
      } finally {
        small.unmount();
      }
    },
    60_000,
  );

  it('and nothing is said of limits that are not there: its temporary folder is the machine’s', async () => {
    const { notes } = await limited('echo "No space left on device"; exit 1', {});
    expect(notes).toBeUndefined();
  });
});
