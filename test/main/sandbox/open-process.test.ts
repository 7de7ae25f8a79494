import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createBwrapTier } from '../../../src/main/sandbox/bwrap/bwrap-tier';
import { findBwrapHost } from '../../../src/main/sandbox/bwrap/host';
import type { Sandbox } from '../../../src/main/sandbox/process';
import { createProcessTier } from '../../../src/main/sandbox/process-tier';
import { reapLeftovers } from '../../../src/main/sandbox/reap';
import { processesWith, tempFolder, uniqueSeconds, until } from './helpers';

const host = await findBwrapHost();
const tiers: [string, (instanceId: string) => Sandbox][] = [
  ['process', (instanceId) => createProcessTier(instanceId)],
  ...(host === null
    ? []
    : [
        ['bubblewrap', (instanceId: string) => createBwrapTier({ instanceId, host, filter: null, hidden: [] })] as [
          string,
          (instanceId: string) => Sandbox,
        ],
      ]),
];

async function open(sandbox: Sandbox, ...argv: [string, ...string[]]) {
  const workspace = await tempFolder();
  const process = await sandbox.open({
    argv,
    cwd: workspace,
    workspace,
    environment: { PATH: '/usr/bin:/bin', A: 'a' },
  });
  return { process, workspace };
}

describe.each(tiers)('a process that stays (%s)', (_name, tier) => {
  it('reads what it is sent and answers, with only the environment that it was given', async () => {
    const { process, workspace } = await open(
      tier(randomUUID()),
      'sh',
      '-c',
      'read x; echo "$x $A $PWD $HOME"; read y',
    );
    process.stdin.write('hello\n');
    const [answer] = await once(process.stdout, 'data');
    expect(String(answer)).toMatch(new RegExp(`^hello a ${workspace} `));
    process.stdin.end();
    expect(await process.ended).toEqual({ type: 'exited', exitCode: 1 });
  });

  it('ends with its whole tree, also what left its session', async () => {
    const seconds = uniqueSeconds();
    const { process } = await open(tier(randomUUID()), 'sh', '-c', `setsid sleep ${seconds} & echo up; cat`);
    await once(process.stdout, 'data');
    await until(async () => (await processesWith(seconds)).length > 0, 'the child was there');
    await Promise.all([process.end(), process.end()]);
    expect(await processesWith(seconds)).toEqual([]);
    await process.ended;
  });

  it('takes its children along when it ends by itself', async () => {
    const seconds = uniqueSeconds();
    const { process } = await open(tier(randomUUID()), 'sh', '-c', `setsid sleep ${seconds} & exit 3`);
    await process.ended;
    expect(await processesWith(seconds)).toEqual([]);
  });

  it('says why it cannot be started', async () => {
    await expect(open(tier(randomUUID()), 'no-such-program')).rejects.toThrow('no such program');
  });
});

it('a process that stays is found and ended by the next start of the app, after a crash of this one', async () => {
  const instance = randomUUID();
  const seconds = uniqueSeconds();
  const { process } = await open(createProcessTier(instance), 'sleep', seconds);
  await until(async () => (await processesWith(seconds)).length > 0, 'it was there');
  expect(await reapLeftovers(instance)).toBeGreaterThan(0);
  expect(await processesWith(seconds)).toEqual([]);
  await process.ended;
});
