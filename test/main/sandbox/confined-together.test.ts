import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { access, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBwrapTier } from '../../../src/main/sandbox/bwrap/bwrap-tier';
import { findBwrapHost } from '../../../src/main/sandbox/bwrap/host';
import { enterLive } from '../../../src/main/sandbox/bwrap/live-folders';
import { DEFAULT_POLICY } from '../../../src/main/sandbox/policy';
import type { Sandbox } from '../../../src/main/sandbox/process';
import { bundle } from './bundle';
import { confinable, confinedSh } from './confined';
import { processesWith, tempFolder, uniqueSeconds, until } from './helpers';

let top = '';
let workspace = '';
const at = (path: string): string => join(top, path);
const policy = { protect: ['deploy/key'] };

beforeEach(async () => {
  top = await tempFolder();
  workspace = at('ws');
  for (const folder of ['ws/deploy', 'outside']) {
    await mkdir(at(folder), { recursive: true });
    await writeFile(at(`${folder}/key`), `what lies in ${folder}`);
  }
});

/**
 * A tier in which bwrap finds a link out of the workspace when it looks what `deploy` is, and a folder before that and
 * after it. It is held meanwhile by a file that it copies before it mounts anything, and that is longer than a pipe.
 */
async function swapping(): Promise<Sandbox> {
  const host = await findBwrapHost();
  if (host === null) throw new Error('There is no bubblewrap here.');
  const bwrap = at('bwrap');
  const script = `#!/bin/bash
    cd ${top}
    eval "cat <&$2 > given"
    sed -z '0,/^\\/proc$/s//&\\x00--file\\x0077\\x00\\/run\\/long/' given > options
    mv ws/deploy ws/real && ln -s ${at('outside')} ws/deploy
    exec 77< <(head -c 1000000 /dev/zero; rm ws/deploy; mv ws/real ws/deploy)
    eval "exec ${host.bwrap} \\"\\$@\\" $2< options"`;
  await writeFile(bwrap, script, { mode: 0o755 });
  return createBwrapTier({ instanceId: 'swapping', host: { ...host, bwrap }, filter: null, hidden: [] });
}

/** Ends the others, before their folders are removed. */
const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

/** Another command in the workspace, until the end of the test. */
async function another(script: string): Promise<void> {
  const stop = new AbortController();
  const running = confinedSh(`touch there; ${script}`, { workspace, signal: stop.signal });
  endings.push(async () => {
    stop.abort();
    await running;
  });
  const isThere = () =>
    access(at('ws/there')).then(
      () => true,
      () => false,
    );
  await until(isThere, 'the other command runs');
}

describe.runIf(confinable)('two commands in one workspace', () => {
  it('do not lead each other out of it: a command', async () => {
    await another('sleep 60');
    const { end, output } = await confinedSh('echo x > deploy/new; cat deploy/key', {
      workspace,
      policy,
      sandbox: await swapping(),
    });
    expect(end).toMatchObject({ type: 'not-started', message: expect.stringContaining(`changed ${at('ws/deploy')}`) });
    expect(output).toBe('');
    expect(await readdir(at('outside'))).toEqual(['key']);
  });

  it('do not lead each other out of it: a process that stays', async () => {
    await another('sleep 60');
    const server = await (await swapping()).open({
      argv: ['sh', '-c', 'echo x > deploy/new'],
      cwd: workspace,
      workspace,
      environment: { PATH: '/usr/bin:/bin' },
      policy: { ...DEFAULT_POLICY, ...policy },
    });
    expect(await server.ended).toMatchObject({ type: 'not-started' });
    expect(await readdir(at('outside'))).toEqual(['key']);
  });

  it('do not lead each other out of it, however often they try', async () => {
    const wait = 'select(undef,undef,undef,rand(0.01))';
    const moves = [
      ['deploy', 'real'],
      ['link', 'deploy'],
      ['deploy', 'link'],
      ['real', 'deploy'],
    ];
    const swaps = moves.map(([from, to]) => `rename("${from}","${to}"); ${wait};`).join(' ');
    await another(`ln -s ${at('outside')} link; exec perl -e 'while (1) { ${swaps} }'`);
    for (let tries = 0; tries < 15; tries++) {
      const { output } = await confinedSh('echo x > deploy/new; cat deploy/key', { workspace, policy });
      // Its path may stand there, in what bwrap says of it.
      expect(output).not.toContain('what lies in outside');
    }
    expect(await readdir(at('outside'))).toEqual(['key']);
  }, 60_000);

  it('run beside each other', async () => {
    await another('sleep 60');
    const both = [1, 2].map((one) =>
      confinedSh(`echo ${one}; echo x > made-${one}; cat deploy/key`, { workspace, policy }),
    );
    expect((await Promise.all(both)).map(({ output }) => output)).toEqual([
      '1\nwhat lies in ws/deploy',
      '2\nwhat lies in ws/deploy',
    ]);
  });

  it('do nothing while they are held: a stop', async () => {
    const other = enterLive();
    endings.push(other.leave);
    other.open({ writable: [workspace], seen: [], hasMounts: () => false });
    const { end } = await confinedSh('echo x > ran', { workspace, timeoutMs: 200 });
    expect(end).toEqual({ type: 'timed-out' });
    expect(await readdir(workspace)).toEqual(['deploy']);
  });

  it('do nothing while they are held: kill -9 of the app', async () => {
    const n = uniqueSeconds();
    const script = await bundle('run-held.ts', at('app'));
    const app = spawn(process.execPath, [script, randomUUID(), `echo x > ran; sleep ${n}`, workspace], {
      stdio: 'inherit',
    });
    const sandboxed = async () => (await processesWith(n)).filter((pid) => pid !== app.pid);
    await until(async () => (await sandboxed()).length >= 2, 'bwrap has made its namespace');
    app.kill('SIGKILL');
    await until(async () => (await processesWith(n)).length === 0, 'all are gone');
    expect(await readdir(workspace)).not.toContain('ran');
  });
});
