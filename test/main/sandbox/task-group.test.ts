import { execFileSync } from 'node:child_process';
import { rmdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { takeTaskGroup } from '../../../src/main/sandbox/task-group';
import { confinable, confined } from './confined';
import { until } from './helpers';

/** Only a root app needs groups, and only some machines let it make them. */
const group = await takeTaskGroup(1);
group?.release();

const ownGroups = (): string[] =>
  execFileSync('find', ['/sys/fs/cgroup', '-type', 'd', '-name', `sayso-${process.pid}-*`])
    .toString()
    .split('\n')
    .filter(Boolean);

it.runIf(confinable && group !== null)(
  'a group that was made ahead and cleared away by somebody is not missed',
  async () => {
    const ended = { end: { type: 'exited', exitCode: 0 } };
    expect(await confined(['true'])).toMatchObject(ended);
    await until(async () => ownGroups().length === 1, 'one is made ahead');
    for (const folder of ownGroups()) rmdirSync(folder);
    expect(await confined(['true'])).toMatchObject(ended);
  },
);
