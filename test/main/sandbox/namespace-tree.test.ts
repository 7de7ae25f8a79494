import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { NamespaceTree } from '../../../src/main/sandbox/bwrap/namespace-tree';
import { DEFAULT_POLICY } from '../../../src/main/sandbox/policy';
import { processesWith, uniqueSeconds, until } from './helpers';

describe.runIf(process.platform === 'linux')('the first process of a namespace, bound to nobody yet', () => {
  it.each(['not reported', 'reported'])('is ended with what made it: %s', async (which) => {
    const seconds = uniqueSeconds();
    // In place of bwrap in the moment in which it has made that process.
    const outer = spawn('/bin/sh', ['-c', 'sleep "$SECONDS_OF_IT" & wait'], { env: { SECONDS_OF_IT: seconds } });
    if (outer.pid === undefined) throw new Error('It was not started.');
    const reports = new PassThrough();
    const kept = { limits: DEFAULT_POLICY.limits, writable: [] };
    const tree = new NamespaceTree(Object.assign(outer, { pid: outer.pid }), reports, kept);
    await until(async () => (await processesWith(seconds)).length === 1, 'it is there');
    const [first] = await processesWith(seconds);
    if (which === 'reported') reports.write(`{ "child-pid": ${first} }\n`);
    expect((await tree.end()).survivors).toEqual([]);
    expect(await processesWith(seconds)).toEqual([]);
  });
});

it.runIf(process.platform === 'linux')('what bwrap reported counts also where its end is told first', async () => {
  const outer = spawn('/bin/true');
  if (outer.pid === undefined) throw new Error('It was not started.');
  const reports = new PassThrough();
  const kept = { limits: DEFAULT_POLICY.limits, writable: [] };
  const tree = new NamespaceTree(Object.assign(outer, { pid: outer.pid }), reports, kept);
  await once(outer, 'exit');
  const ending = tree.end();
  setImmediate(() => reports.end('{ "exit-code": 0 }\n'));
  await ending;
  expect(tree.wasStarted).toBe(true);
});
