import { randomUUID } from 'node:crypto';
import { chmod, chown, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/main/sandbox/process';
import { createProcessTier } from '../../../src/main/sandbox/process-tier';
import { ownerOf } from '../../../src/main/sandbox/run-as';
import { createUnshareTier, findUnshareHost } from '../../../src/main/sandbox/unshare-tier';
import { confinable, makeTier } from './confined';
import { tempFolder } from './helpers';

const isRoot = process.getuid?.() === 0;
/** A user that nobody is, and a group that anything may be. */
const NOBODY = 54_323;
const NO_GROUP = 65_534;

async function folderOf(uid: number, gid: number): Promise<string> {
  const folder = await tempFolder();
  await chown(folder, uid, gid);
  // What a group may do, it shall be seen not to.
  await chmod(folder, 0o770);
  return folder;
}

/** Somebody of this machine whose group has another number. */
async function somebody(): Promise<{ readonly uid: number; readonly gid: number }> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':').map(Number));
  const line = lines.find(([, , uid = 0, gid = 0]) => uid > 0 && gid > 0 && uid !== gid && gid !== NO_GROUP);
  return { uid: line?.[2] ?? Number.NaN, gid: line?.[3] ?? Number.NaN };
}

describe.runIf(isRoot)('whom a root app runs a command as', () => {
  const accounts = async (...lines: string[]): Promise<string> => {
    const path = join(await tempFolder(), 'passwd');
    await writeFile(path, ['root:x:0:0:root:/root:/bin/sh', ...lines, ''].join('\n'));
    return path;
  };

  it.each([
    ['the user of the folder, with that user’s own group', ['me:x:54323:777::/home/me:/bin/sh'], 777],
    ['never in root’s group, were it that user’s own', ['me:x:54323:0::/home/me:/bin/sh'], NO_GROUP],
    ['in no group where the file is not to be understood', ['me:x:54323:-7::/home/me:/bin/sh'], NO_GROUP],
    ['in no group where the line is cut off', ['me:x:54323:777'], NO_GROUP],
    ['in no group where the user is not in the file', [], NO_GROUP],
  ])('%s', async (_, lines, gid) => {
    const folder = await folderOf(NOBODY, 0);
    expect(await ownerOf(folder, await accounts(...lines))).toEqual({ uid: NOBODY, gid });
  });

  it('itself in a folder of its own, whatever the group', async () => {
    expect(await ownerOf(await folderOf(0, 777))).toBeNull();
  });
});

const TIERS: [string, () => Promise<Sandbox>][] = [
  ['bubblewrap', () => makeTier([])],
  [
    'unshare',
    async () => {
      const host = await findUnshareHost();
      if (host === null) throw new Error('There is no unshare here.');
      return createUnshareTier(randomUUID(), host);
    },
  ],
  ['process', async () => createProcessTier(randomUUID())],
];

describe.runIf(isRoot && confinable).each(TIERS)('in the tier %s', (_, tier) => {
  async function madeIn(workspace: string): Promise<{ output: string; uid: number; gid: number }> {
    const { output } = await (await tier()).run(
      {
        argv: ['/bin/sh', '-c', 'echo x > made; id -G'],
        cwd: workspace,
        workspace,
        environment: { PATH: '/usr/bin:/bin', HOME: '/root' },
        timeoutMs: 30_000,
      },
      { signal: new AbortController().signal, onOutput: () => undefined },
    );
    const { uid, gid } = await stat(join(workspace, 'made'));
    return { output, uid, gid };
  }

  it.each([0, 997])('a folder given to the group %i gives a command nothing of that group', async (group) => {
    expect(await madeIn(await folderOf(NOBODY, group))).toEqual({
      output: `${NO_GROUP}\n`,
      uid: NOBODY,
      gid: NO_GROUP,
    });
  });

  it('a user of this machine has their own group', async () => {
    const { uid, gid } = await somebody();
    expect(uid).toBeGreaterThan(0);
    expect(await madeIn(await folderOf(uid, 0))).toEqual({ output: `${gid}\n`, uid, gid });
  });
});
