import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProcessTier } from '../../../src/main/sandbox/process-tier';
import { bundle } from './bundle';
import { run, sh, tempFolder } from './helpers';

describe('a process', () => {
  it('is started with exactly its tokens, by no shell', async () => {
    const tokens = ['$HOME', '*', '; echo no', "'", '"', '', ' ', '\n', 'ü😀', '--', '`id`'];
    const script = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
    const result = await run([process.execPath, '-e', script, '--', ...tokens]);
    expect(JSON.parse(result.output)).toEqual(tokens);
    expect(result.end).toEqual({ type: 'exited', exitCode: 0 });
  });

  it('runs in its folder, in its own group and session, without stdin', async () => {
    const cwd = await tempFolder();
    const result = await sh('pwd; cat; ps -o pid=,pgid=,sid= -p $$', { cwd });
    const [folder, ids] = result.output.trim().split('\n');
    expect(folder).toBe(cwd);
    expect(new Set(ids?.trim().split(/\s+/)).size).toBe(1);
  });

  it('reports a non-zero exit as a normal end', async () => {
    expect((await sh('echo out; exit 7')).end).toEqual({ type: 'exited', exitCode: 7 });
  });

  it('reports the signal that it ended by', async () => {
    expect((await sh('kill -9 $$')).end).toEqual({ type: 'signalled', signal: 'SIGKILL' });
  });

  it('can open its own output again by name', async () => {
    expect((await sh('echo a > /dev/stderr; echo b > /dev/stdout; echo c | tee /dev/stderr')).output).toBe(
      'a\nb\nc\nc\n',
    );
  });

  it('leaves no file descriptor open in the app', async () => {
    const count = async () => (await readdir('/proc/self/fd')).length;
    await sh('true');
    const before = await count();
    await Promise.all(Array.from({ length: 8 }, () => sh('echo x; echo y >&2')));
    await Promise.all([run(['no-such-program']), run(['/etc/passwd']), sh('sleep 100', { timeoutMs: 20 })]);
    expect(await count()).toBeLessThanOrEqual(before);
  });

  it('inherits nothing, not even what the app itself inherited', async () => {
    const folder = await tempFolder();
    const secret = join(folder, 'secret');
    await writeFile(secret, 'secret');
    const probe = await bundle('run-in-tier.ts', folder);
    const script = 'for fd in /proc/self/fd/*; do echo $(basename $fd) $(readlink $fd); done';
    const app = spawn(
      'bash',
      ['-c', 'exec 7<"$1" 300<"$1"; shift; exec "$@"', 'bash', secret, process.execPath, probe, randomUUID(), script],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const output = (await app.stdout.setEncoding('utf8').toArray()).join('');
    expect(output).toMatch(/^1 .*pipe/m);
    expect(output).toMatch(/^300 \/dev\/null$/m);
    expect(output).not.toContain('secret');
  });

  it('leaves no file behind in the temporary folder', async () => {
    const folder = await tempFolder();
    const { TMPDIR } = process.env;
    process.env.TMPDIR = folder;
    try {
      await sh('echo x', { cwd: '/' });
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    }
    expect(await readdir(folder)).toEqual([]);
  });

  it('says of itself no more than what holds', () => {
    const { tier } = createProcessTier('test');
    expect(tier).toMatchObject({ label: 'process only', files: 'not-enforced', network: 'not-enforced' });
  });
});

describe('the order of output', () => {
  it('is kept between stdout and stderr', async () => {
    const script = 'i=0; while [ $i -lt 500 ]; do echo o$i; echo e$i >&2; i=$((i+1)); done';
    const expected = Array.from({ length: 500 }, (_, i) => `o${i}\ne${i}\n`).join('');
    expect((await sh(script)).output).toBe(expected);
  });

  it('is kept between several processes that share it', async () => {
    const script = 'for i in 1 2 3 4 5; do sh -c "echo o$i"; sh -c "echo e$i >&2"; done';
    expect((await sh(script)).output).toBe('o1\ne1\no2\ne2\no3\ne3\no4\ne4\no5\ne5\n');
  });
});

describe('live output', () => {
  it('arrives while the command runs, cut only between characters', async () => {
    const cwd = await tempFolder();
    const reports: [string, number][] = [];
    const result = await sh('printf "\\303"; sleep 0.2; printf "\\274ber"; until [ -e seen ]; do sleep 0.01; done', {
      cwd,
      onOutput: (text, total) => {
        reports.push([text, total]);
        if (total === 5) void writeFile(join(cwd, 'seen'), '');
      },
    });
    expect(result.end).toEqual({ type: 'exited', exitCode: 0 });
    expect(reports.map(([text]) => text).join('')).toBe('über');
    expect(reports.at(-1)?.[1]).toBe(5);
  });

  it('is complete before the result, and nothing comes after it', async () => {
    let live = '';
    const result = await sh('echo a; echo b >&2; printf "\\303"', { onOutput: (text) => (live += text) });
    expect(live).toBe('a\nb\n\ufffd');
    expect(live).toBe(result.output);
  });

  it('stays bounded in text and in number of reports while the count goes on', async () => {
    const reports: [string, number][] = [];
    await sh('head -c 30000000 /dev/zero | tr "\\0" x', { onOutput: (...report) => reports.push(report) });
    expect(reports.map(([text]) => text).join('')).toBe('x'.repeat(65_536));
    expect(reports.at(-1)?.[1]).toBe(30_000_000);
    expect(reports.length).toBeLessThan(400);
  });
});

describe('a process that cannot be started', () => {
  it.each<[string, [string, ...string[]], string]>([
    ['an unknown name', ['no-such-program-here'], 'no such program on the PATH'],
    ['a missing file', ['./missing'], 'no such file'],
    ['a folder', ['./folder'], 'is a folder'],
    ['a file without the right to execute', ['./plain'], 'not an executable file'],
    ['a link to nothing', ['./dangling'], 'no such file'],
    ['an empty name', [''], 'cannot be started'],
    ['a NUL', ['echo', 'a\0b'], 'NUL'],
    ['an interpreter that is missing', ['./script'], 'cannot be started'],
    ['more than the system takes', ['echo', 'x'.repeat(5_000_000)], 'cannot be started'],
  ])('says so: %s', async (_, argv, message) => {
    const cwd = await tempFolder();
    await mkdir(join(cwd, 'folder'));
    await writeFile(join(cwd, 'plain'), 'text');
    await symlink('nowhere', join(cwd, 'dangling'));
    await writeFile(join(cwd, 'script'), '#!/no/such/interpreter\n');
    await chmod(join(cwd, 'script'), 0o755);
    const { end, output } = await run(argv, { cwd });
    expect(end.type).toBe('not-started');
    expect(end.type === 'not-started' && end.message).toContain(message);
    expect(output).toBe('');
  });

  it('says so where its folder is missing or is a file', async () => {
    const folder = await tempFolder();
    const missing = await run(['true'], { cwd: join(folder, 'gone') });
    expect(missing.end).toMatchObject({ type: 'not-started', message: expect.stringContaining('does not exist') });
    await writeFile(join(folder, 'file'), '');
    const file = await run(['true'], { cwd: join(folder, 'file') });
    expect(file.end).toMatchObject({ type: 'not-started', message: expect.stringContaining('not a folder') });
  });

  it('is not started at all once it was stopped', async () => {
    const cwd = await tempFolder();
    const { end } = await sh('echo > ran', { cwd, signal: AbortSignal.abort() });
    expect(end).toEqual({ type: 'stopped' });
    await expect(readFile(join(cwd, 'ran'))).rejects.toThrow();
  });
});

describe('a flood', () => {
  it('of a gigabyte leaves the memory flat and both ends of the output', async () => {
    const before = process.memoryUsage();
    let peak = 0;
    const result = await sh('yes 0123456789 | head -c 1000000000; echo; echo end', {
      onOutput: () => {
        const { heapUsed, external } = process.memoryUsage();
        peak = Math.max(peak, heapUsed + external);
      },
    });
    expect(result.end).toEqual({ type: 'exited', exitCode: 0 });
    expect(result.truncated).toBe(true);
    expect(result.output.length).toBeLessThan(65_536 + 100);
    expect(result.output.startsWith('0123456789\n')).toBe(true);
    expect(result.output.endsWith('\nend\n')).toBe(true);
    expect(result.output).toContain(`[... ${1_000_000_005 - 65_536} bytes missing ...]`);
    expect(peak - before.heapUsed - before.external).toBeLessThan(64 * 1024 * 1024);
    expect(process.memoryUsage().rss - before.rss).toBeLessThan(200 * 1024 * 1024);
  }, 60_000);
});
