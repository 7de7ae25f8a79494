import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { confinable, confined, confinedSh } from './confined';
import { run, tempFolder } from './helpers';

const DONE = { type: 'exited', exitCode: 0 };

async function repository(): Promise<string> {
  const folder = await tempFolder();
  const git = (...args: string[]): void => {
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { cwd: folder });
  };
  git('init', '--quiet');
  await writeFile(join(folder, 'a.txt'), 'a\n');
  git('add', '.');
  git('commit', '--quiet', '--message', 'First');
  return folder;
}

describe.runIf(confinable)('normal work in the first tier', () => {
  it('git: status, log, branch, add, commit, merge', async () => {
    const workspace = await repository();
    const identity = {
      GIT_AUTHOR_NAME: 'T',
      GIT_AUTHOR_EMAIL: 't@e',
      GIT_COMMITTER_NAME: 'T',
      GIT_COMMITTER_EMAIL: 't@e',
    };
    const script =
      'set -e; git checkout -q -b side; echo b > b.txt; git add .; git commit -q -m Second; git checkout -q -; git merge -q side; git log --oneline | wc -l; git status --porcelain';
    const result = await confinedSh(script, { workspace, environment: identity });
    expect(result).toMatchObject({ end: DONE, output: '2\n' });
    expect(execFileSync('git', ['log', '--format=%s'], { cwd: workspace }).toString()).toBe('Second\nFirst\n');
  });

  it('git knows who commits', async () => {
    const known = await run(['git', 'config', '--global', 'user.email'], {
      environment: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' },
    });
    const inside = await confined(['git', 'config', '--global', 'user.email']);
    expect(inside.output).toBe(known.output);
  });

  it.each(['write', 'read'] as const)(
    'and nobody writes that into a home that the policy opens to %s',
    async (kind) => {
      const home = await tempFolder();
      const policy = { [kind]: [home] };
      const { output } = await confinedSh('git config --global user.email; echo end', {
        environment: { HOME: home },
        policy,
      });
      expect(output).toBe('end\n');
      expect(await readdir(home)).toEqual([]);
    },
  );

  it('nor into a workspace that is the home', async () => {
    const workspace = await tempFolder();
    expect((await confinedSh('pwd', { workspace, environment: { HOME: workspace } })).output).toBe(`${workspace}\n`);
    expect(await readdir(workspace)).toEqual([]);
  });

  it('node, with a server of its own', async () => {
    const script =
      'const s=require("http").createServer((q,r)=>r.end("served")).listen(0,"127.0.0.1",async()=>{console.log(await (await fetch("http://127.0.0.1:"+s.address().port)).text());s.close()})';
    expect(await confined(['node', '-e', script])).toMatchObject({ end: DONE, output: 'served\n' });
  });

  it('node, with children and workers', async () => {
    const script =
      'const {Worker,isMainThread}=require("worker_threads");console.log(require("child_process").execFileSync("node",["-p","1+1"]).toString().trim());new Worker("console.log(3)",{eval:true})';
    expect(await confined(['node', '-e', script])).toMatchObject({ end: DONE, output: '2\n3\n' });
  });

  it('python', async () => {
    const script =
      'import json, subprocess, tempfile; tempfile.TemporaryFile(); print(subprocess.check_output(["echo", "x"]))';
    expect(await confined(['python3', '-c', script])).toMatchObject({ end: DONE, output: "b'x\\n'\n" });
  });

  it('gcc, and what it made', async () => {
    const workspace = await tempFolder();
    await writeFile(join(workspace, 'a.c'), '#include <stdio.h>\nint main(void) { puts("compiled"); return 0; }\n');
    const result = await confinedSh('gcc -O1 -o a a.c && ./a', { workspace });
    expect(result).toMatchObject({ end: DONE, output: 'compiled\n' });
  });

  it('npm run', async () => {
    const workspace = await tempFolder();
    await mkdir(join(workspace, 'node_modules/.bin'), { recursive: true });
    await writeFile(join(workspace, 'node_modules/tool.js'), '#!/usr/bin/env node\nconsole.log("tool ran")\n');
    await chmod(join(workspace, 'node_modules/tool.js'), 0o755);
    await symlink('../tool.js', join(workspace, 'node_modules/.bin/tool'));
    await writeFile(join(workspace, 'package.json'), JSON.stringify({ name: 'x', scripts: { build: 'tool' } }));
    const result = await confined(['npm', 'run', 'build', '--silent'], { workspace });
    expect(result).toMatchObject({ end: DONE, output: 'tool ran\n' });
  });

  it('npm install of a package of the workspace, and npm run of its program', async () => {
    const workspace = await tempFolder();
    await mkdir(join(workspace, 'packages/tool'), { recursive: true });
    const tool = { name: 'tool', version: '1.0.0', bin: { tool: 'tool.js' } };
    await writeFile(join(workspace, 'packages/tool/package.json'), JSON.stringify(tool));
    await writeFile(join(workspace, 'packages/tool/tool.js'), '#!/usr/bin/env node\nconsole.log("tool ran")\n');
    await writeFile(join(workspace, 'package.json'), JSON.stringify({ name: 'x', scripts: { build: 'tool' } }));
    const installed = await confined(['npm', 'install', '--offline', '--no-audit', '--no-fund', './packages/tool'], {
      workspace,
    });
    expect(installed).toMatchObject({ end: DONE, output: expect.stringContaining('added 1 package') });
    expect(JSON.parse(await readFile(join(workspace, 'package.json'), 'utf8'))).toMatchObject({
      dependencies: { tool: 'file:packages/tool' },
    });
    const result = await confined(['npm', 'run', 'build', '--silent'], { workspace });
    expect(result).toMatchObject({ end: DONE, output: 'tool ran\n' });
  }, 60_000);

  it('a tool from a folder on PATH that is none of the system', async () => {
    const tools = await tempFolder();
    await writeFile(join(tools, 'mine'), '#!/bin/sh\necho mine "$@"\n');
    await chmod(join(tools, 'mine'), 0o755);
    const environment = { PATH: `${tools}:${process.env.PATH}` };
    expect(await confined(['mine', '--x'], { environment })).toMatchObject({ end: DONE, output: 'mine --x\n' });
  });

  it('a temporary folder and a home, both empty and its own', async () => {
    const script = 'set -e; echo x > "$TMPDIR/x"; echo y > "$HOME/y"; echo z > /var/tmp/z; mktemp >/dev/null; ls /run';
    expect(await confinedSh(script)).toMatchObject({ end: DONE, output: '' });
  });

  it('writes that stay, with the mode and owner of a normal file', async () => {
    const workspace = await tempFolder();
    await confinedSh('mkdir -p a/b && echo x > a/b/c && chmod 750 a/b/c', { workspace });
    expect(await readFile(join(workspace, 'a/b/c'), 'utf8')).toBe('x\n');
  });

  it('a workspace with an odd name', async () => {
    const workspace = join(await tempFolder(), '--bind a\n "ü" $HOME');
    await mkdir(workspace);
    const { output, end } = await confinedSh('pwd; echo x > y; ls', { workspace });
    expect([end, output]).toEqual([DONE, `${workspace}\ny\n`]);
  });

  it('exactly its tokens, by no shell', async () => {
    const tokens = ['--ro-bind', '--', '$HOME', '', 'a b', '\n'];
    const script = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
    expect(JSON.parse((await confined(['node', '-e', script, '--', ...tokens])).output)).toEqual(tokens);
  });
});

describe.runIf(confinable)('what the policy opens', () => {
  it('paths to read and to write, and nothing else', async () => {
    const [read, write] = [await tempFolder(), await tempFolder()];
    await writeFile(join(read, 'r'), 'read\n');
    const script = `cat ${read}/r; echo x > ${write}/w; echo x > ${read}/w; echo ended`;
    const { output } = await confinedSh(script, { policy: { read: [read], write: [write] } });
    expect(output).toMatch(/^read\n.*Read-only file system\nended\n$/);
    expect(await readFile(join(write, 'w'), 'utf8')).toBe('x\n');
  });

  it('nothing that is not there, without failing', async () => {
    expect(await confinedSh('true', { policy: { read: ['/no/such/path'] } })).toMatchObject({ end: DONE });
  });

  it('the network, with the servers of this machine', async () => {
    const script = 'require("net").connect(1,"127.0.0.1").on("error",(e)=>console.log(e.code))';
    const interfaces = 'console.log(require("fs").readFileSync("/proc/net/dev","utf8").split("\\n").length)';
    const { output: open } = await confined(['node', '-e', `${script};${interfaces}`], { policy: { network: true } });
    const { output: shut } = await confined(['node', '-e', interfaces]);
    expect(open).toContain('ECONNREFUSED');
    expect(Number.parseInt(open, 10)).toBeGreaterThanOrEqual(Number.parseInt(shut, 10));
  });
});

describe.runIf(confinable)('a failure is explained', () => {
  it.each([
    ['echo x > /usr/x', 'The sandbox refused a write'],
    ['getent hosts example.com || echo "could not resolve host" && false', 'no network'],
    ['unshare --user true', 'privileged operation'],
    ["perl -e 'syscall(0x40000000 | 39)'", 'forbids|signal 31'],
  ])('%s', async (script, note) => {
    expect((await confinedSh(script)).notes?.join(' ')).toMatch(new RegExp(note));
  });

  it('and success is not', async () => {
    expect((await confinedSh('echo "Read-only file system"')).notes).toBeUndefined();
  });

  it('as not started, where the program is not to be seen', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'hidden-tool'), '#!/bin/sh\n');
    await chmod(join(folder, 'hidden-tool'), 0o755);
    const { end } = await confined([join(folder, 'hidden-tool')]);
    expect(end).toMatchObject({ type: 'not-started', message: expect.stringContaining('sandbox.read') });
  });
});
