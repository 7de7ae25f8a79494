import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { becoming, isPlain, quoted } from '../../../src/main/sandbox/shell-words';
import { bundle } from './bundle';
import { confinable, confined, confinedSh } from './confined';
import { tempFolder, until } from './helpers';

const HOSTILE = [
  '',
  ' ',
  '-n',
  'a b',
  "it's",
  "'",
  "''",
  '"',
  '\\',
  "\\'",
  '$HOME',
  '$(touch made)',
  '`touch made`',
  '*',
  '~',
  '!x',
  '#x',
  'a\nb\n',
  '\r\t',
  ';exit 3',
  '&& false',
  '</dev/null',
  '\u00e9\u{1f600}',
  '\u202e',
];

describe('what a shell is told', () => {
  it.each(HOSTILE)('has the word %j as it is', (word) => {
    expect(execFileSync('/bin/sh', ['-c', `printf '%s' ${quoted(word)}`]).toString()).toBe(word);
  });

  const launch = {
    file: process.execPath,
    argv0: 'node',
    cwd: '/',
    owner: null,
    reads: 0,
    reports: true,
    channel: false,
  };
  // It has no spaces in its name, so that a shell may be told it.
  let tell = '';
  beforeEach(async () => {
    tell = join(await tempFolder(), 'tell.cjs');
    const told = '[process.argv.slice(2), process.env.A, require("fs").readFileSync(0).length]';
    await writeFile(tell, `process.stdout.write(JSON.stringify(${told}))`);
  });

  it('makes it become exactly the launch, without what comes after', () => {
    const args = [tell, 'a', '--b=c,d', '@e/../f%g:+'];
    const script = becoming({ ...launch, prepare: [], args, environment: { A: '/b:/c' } });
    const told = execFileSync('/bin/sh', { input: `${script}echo more`, env: {}, cwd: '/' }).toString();
    expect(JSON.parse(told)).toEqual([args.slice(1), '/b:/c', 0]);
  });

  it.each(HOSTILE.filter((word) => word !== '' && word !== '-n'))('is never the word %j', (word) => {
    expect(isPlain(word)).toBe(false);
    const given = { ...launch, prepare: [], args: [tell], environment: {} };
    expect(() => becoming({ ...given, args: [tell, word] })).toThrow(/must not be told/);
    expect(() => becoming({ ...given, environment: { A: `a${word}` } })).toThrow(/must not be told/);
    expect(() => becoming({ ...given, file: word })).toThrow(/must not be told/);
  });

  it('has plain words only: each other character of ASCII stops it', () => {
    const all = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
    const plain = all.filter((character) => isPlain(`a${character}b`)).join('');
    expect(plain).toBe('%+,-./0123456789:=@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz');
  });

  it('ends it where a step before fails', () => {
    const script = becoming({ ...launch, prepare: ['true', 'false', 'echo on'], args: [tell], environment: {} });
    expect(() => execFileSync('/bin/sh', { input: script, stdio: ['pipe', 'pipe', 'ignore'] })).toThrow();
  });
});

/** The pids of the shells that wait to become a command of this app. */
async function shellsOf(app: number): Promise<number[]> {
  const threads = await readdir(`/proc/${app}/task`);
  const lists = threads.map((thread) => readFile(`/proc/${app}/task/${thread}/children`, 'utf8').catch(() => ''));
  const children = (await Promise.all(lists)).flatMap((list) => list.split(' ').filter(Boolean).map(Number));
  const lines = children.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
  const told = await Promise.all(lines);
  return children.filter((_, index) => told[index] === '/bin/sh\0');
}

const isGone = async (pid: number): Promise<boolean> =>
  /\) [ZX]/.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') X'));

describe.runIf(confinable)('the shell for the next command', () => {
  it('waits after one, and is the only one', async () => {
    await Promise.all([confined(['true']), confined(['true']), confined(['true'])]);
    await until(async () => (await shellsOf(process.pid)).length === 1, 'one waits');
  });

  const look = `const fs = require('fs');
    const open = fs.readdirSync('/proc/self/fd').map(Number).filter((fd) => fs.existsSync('/proc/self/fd/' + fd) && fd < 3);
    const env = Object.keys(process.env).filter((name) => !['PATH', 'HOME', 'TMPDIR', 'PWD', 'SAYSO_CALL'].includes(name));
    process.stdout.write(JSON.stringify([process.argv.slice(2), fs.readFileSync(0).length, open, env, process.cwd()]))`;

  it('becomes the command: each of its tokens, what it reads, what it has open, what it knows', async () => {
    const workspace = await tempFolder();
    await writeFile(join(workspace, 'look.cjs'), look);
    await confined(['true']);
    const [waiting] = await shellsOf(process.pid);
    const { output } = await confined(['node', 'look.cjs', '--a=b', '../c'], { workspace });
    expect(JSON.parse(output)).toEqual([['--a=b', '../c'], 0, [0, 1, 2], [], workspace]);
    expect(await shellsOf(process.pid)).not.toContain(waiting);
  });

  it('is left alone by a command with other words, which are started by themselves and are what they are', async () => {
    const workspace = await tempFolder();
    await writeFile(join(workspace, 'look.cjs'), look);
    await confined(['true']);
    const before = await shellsOf(process.pid);
    const { output } = await confined(['node', 'look.cjs', ...HOSTILE], { workspace });
    expect(JSON.parse(output)).toEqual([HOSTILE, 0, [0, 1, 2], [], workspace]);
    expect(before).toHaveLength(1);
    expect(await shellsOf(process.pid)).toEqual(before);
  });

  it('has nothing of the app: neither its environment nor its descriptors', async () => {
    await confined(['true']);
    const [pid] = await shellsOf(process.pid);
    expect(await readFile(`/proc/${pid}/environ`, 'utf8')).toBe('PATH=/usr/bin:/bin\0');
    const places = (await readdir(`/proc/${pid}/fd`)).map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => ''));
    for (const place of await Promise.all(places))
      expect(place).toMatch(/^(socket:|pipe:|\/dev\/null$|.*sayso-output-.* \(deleted\)$|$)/);
  });

  it('is not missed where it was killed', async () => {
    await confined(['true']);
    const [pid = 0] = await shellsOf(process.pid);
    process.kill(pid, 'SIGKILL');
    await until(() => isGone(pid), 'it is gone');
    expect(await confinedSh('echo still')).toMatchObject({ end: { type: 'exited', exitCode: 0 }, output: 'still\n' });
  });

  it.each(['SIGKILL', null] as const)('is gone with the app (%s)', async (signal) => {
    const [folder, workspace] = [await tempFolder(), await tempFolder()];
    const script = await bundle('run-confined.ts', folder);
    // In a file of its own: only for plain words a shell is started.
    await writeFile(join(workspace, 'wait'), '#!/bin/sh\nwhile [ ! -e go ]; do sleep 0.02; done\n', { mode: 0o755 });
    const words = [script, randomUUID(), './wait', '', workspace];
    const app: ChildProcess = spawn(process.execPath, words, { stdio: 'inherit' });
    const ended = once(app, 'exit');
    let shells: number[] = [];
    await until(async () => {
      shells = await shellsOf(app.pid ?? 0);
      return shells.length === 1;
    }, 'one waits');
    if (signal === null) await writeFile(join(workspace, 'go'), '');
    else app.kill(signal);
    expect(await ended).toEqual([signal === null ? 0 : null, signal]);
    await until(() => isGone(shells[0] ?? 0), 'it is gone');
  });
});
