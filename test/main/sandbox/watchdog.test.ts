import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { pidsWithArgument, pidsWithEnvironment } from '../../support/processes';
import { bundle } from './bundle';
import { confinable } from './confined';
import { tempFolder, uniqueSeconds, until } from './helpers';

/** A sandbox is being made for some ten milliseconds, and longer where others are, too. */
const MOMENTS = [0, 1, 2, 3, 4, 6, 8, 10, 12, 15];

/** An app that starts a command in a tier and kills itself some milliseconds after. */
function startApp(script: string, tier: string, instance: string, afterMs: number) {
  const command = `setsid sleep ${uniqueSeconds()} & sleep ${uniqueSeconds()}`;
  return spawn(process.execPath, [script, tier, instance, command, String(afterMs)], { stdio: 'inherit' });
}

async function killedAfter(script: string, tier: string, ms: number): Promise<void> {
  const instance = randomUUID();
  expect(await once(startApp(script, tier, instance, ms), 'exit')).toEqual([null, 'SIGKILL']);
  await until(async () => (await pidsWithEnvironment(`SAYSO_CALL=${instance}.`)).length === 0, 'all are gone');
  await until(async () => (await pidsWithArgument(instance)).length === 0, 'the watchdog has gone, too');
}

describe.runIf(process.platform === 'linux')('an app that is killed with -9 leaves nothing of a command', () => {
  it.runIf(confinable)(
    'that was just being confined, at whatever moment',
    async () => {
      const script = await bundle('run-and-die.ts', await tempFolder());
      const pair = (ms: number) => [1, 2].map(() => killedAfter(script, 'bubblewrap', ms));
      for (const ms of MOMENTS) await Promise.all(pair(ms));
    },
    120_000,
  );

  it('that nothing confines', async () => {
    const script = await bundle('run-and-die.ts', await tempFolder());
    for (const ms of [0, 200]) await killedAfter(script, 'process', ms);
  }, 60_000);

  it('because of a process that waits for its end, as long as it lives', async () => {
    const instance = randomUUID();
    const script = await bundle('run-and-die.ts', await tempFolder());
    const app = startApp(script, 'process', instance, 100_000);
    await until(async () => (await pidsWithArgument(instance)).length === 2, 'there are the app and its watchdog');
    app.kill('SIGKILL');
    await until(async () => (await pidsWithArgument(instance)).length === 0, 'both are gone');
    await until(async () => (await pidsWithEnvironment(`SAYSO_CALL=${instance}.`)).length === 0, 'and the command');
  });
});
