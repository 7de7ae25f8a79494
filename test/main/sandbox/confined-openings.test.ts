import { lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SandboxPolicy } from '../../../src/main/sandbox/policy';
import { confinable, confinedSh, makeTier } from './confined';
import { tempFolder } from './helpers';

let top = '';
let workspace = '';
const at = (path: string): string => join(top, path);
const run = (script: string, policy: Partial<SandboxPolicy>) => confinedSh(script, { workspace, policy });

beforeEach(async () => {
  top = await tempFolder();
  workspace = at('ws');
  for (const folder of ['ws', 'docs/sub', 'secret']) await mkdir(at(folder), { recursive: true });
  await writeFile(at('docs/sub/kept'), 'untouched');
  await writeFile(at('secret/file'), 'hidden-away');
});

describe.runIf(confinable)('what the agent file opens beyond the workspace', () => {
  it('is there under its own name and under that of a link to it', async () => {
    await symlink('docs', at('link'));
    const script = `cat ${at('link/sub/kept')} && echo x > ${at('link/new')} && cat ${at('docs/new')}`;
    expect((await run(script, { write: [at('link')] })).output).toBe('untouchedx\n');
  });

  it('is there by that name also where a folder of PATH is', async () => {
    await symlink('docs', at('link'));
    await mkdir(at('docs/bin'));
    const environment = { PATH: `${at('link/bin')}:${process.env.PATH}` };
    const script = `ls ${at('link')} ${at('link/bin')}; cat ${at('link/sub/kept')}`;
    const { output } = await confinedSh(script, { workspace, environment, policy: { read: [at('link')] } });
    expect(output).toContain('untouched');
  });

  it('keeps what is protected in it, whatever becomes of the folders above, and under each of its names', async () => {
    await symlink('docs', at('link'));
    const script = `
      echo x > ${at('docs/sub/kept')}; echo x > ${at('link/sub/kept')}
      mv ${at('docs/sub')} ${at('docs/other')}; mv ${at('link/sub')} ${at('link/other')}
      rm -rf ${at('docs/sub')}; echo x > ${at('docs/sub/kept')}`;
    await run(script, { write: [at('link')], protect: [at('docs/sub/kept')] });
    expect(await readFile(at('docs/sub/kept'), 'utf8')).toBe('untouched');
  });

  it('keeps what is only readable in it', async () => {
    await run(`echo x > ${at('docs/sub/kept')}; mv ${at('docs/sub')} ${at('docs/other')}`, {
      write: [at('docs')],
      read: [at('docs/sub')],
    });
    expect(await readFile(at('docs/sub/kept'), 'utf8')).toBe('untouched');
  });

  it('lets no protected path appear in it: held where it has a folder, else moved aside', async () => {
    const { output, notes } = await run(
      `echo x > ${at('docs/missing')} && echo MADE; mkdir ${at('docs/new')}; echo x > ${at('docs/new/deep')}; exit 1`,
      { write: [at('docs')], protect: [at('docs/missing'), at('docs/new/deep')] },
    );
    expect(output).not.toContain('MADE');
    for (const path of ['docs/missing', 'docs/new/deep']) expect(notes?.join()).toContain(`${at(path)} is protected`);
    expect((await readdir(at('docs'), { recursive: true })).sort()).toEqual([
      'new',
      'new/deep.refused-by-sayso',
      'sub',
      'sub/kept',
    ]);
  });

  it('is not bent by a command for the next one', async () => {
    for (const folder of ['ws/a/out', 'docs/a/sub']) await mkdir(at(folder), { recursive: true });
    const policy = { write: [at('ws/a/out'), at('docs'), at('docs/a/sub')] };
    for (const [folder, name] of [
      [at('ws/a'), 'out'],
      [at('docs/a'), 'sub'],
    ]) {
      await run(`mv ${folder} ${folder}-old; mkdir ${folder}; ln -s ${at('secret')} ${folder}/${name}`, policy);
    }
    const { end, output } = await run(`cat a/out/file ${at('docs/a/sub/file')}; echo x > a/out/new`, policy);
    expect(end.type).toBe('exited');
    expect(output).not.toContain('hidden-away');
    expect(await readdir(at('secret'))).toEqual(['file']);
  });

  it('never opens the data of the app, through a link neither', async () => {
    await symlink('.', at('here'));
    const sandbox = await makeTier([at('secret')]);
    const script = `cat ${at('here/secret/file')} ${at('secret/file')}`;
    for (const policy of [{ read: [at('here')] }, { write: [at('here')] }]) {
      expect((await confinedSh(script, { sandbox, workspace, policy })).output).not.toContain('hidden-away');
    }
  });
});

describe.runIf(confinable)('a folder of PATH that lies in the workspace', () => {
  const environment = { PATH: `${process.env.PATH}` };
  beforeEach(() => {
    environment.PATH = `${at('ws/bin')}:${process.env.PATH}`;
  });

  it('is there, and closed to writing', async () => {
    await mkdir(at('ws/bin'));
    await writeFile(at('ws/bin/tool'), '#!/bin/sh\necho works', { mode: 0o755 });
    const { output } = await confinedSh('tool; echo x > bin/tool; tool', { workspace, environment });
    expect(output).toContain('Read-only');
    expect(output.match(/works/g)).toHaveLength(2);
  });

  it.each(['missing before', 'known before'])('is not bent by a command for the next one: %s', async (which) => {
    if (which === 'known before') await mkdir(at('ws/bin'));
    const sandbox = await makeTier([]);
    await confinedSh('true', { sandbox, workspace, environment });
    await rm(at('ws/bin'), { recursive: true, force: true });
    await symlink('../secret', at('ws/bin'));
    for (const one of [sandbox, await makeTier([])]) {
      const script = `cat bin/file ${at('secret/file')}`;
      const { end, output } = await confinedSh(script, { sandbox: one, workspace, environment });
      expect(end).toMatchObject({ type: 'exited' });
      expect(output).not.toContain('hidden-away');
    }
  });
});

describe.runIf(confinable)('what is protected in the workspace', () => {
  it('stays closed where something in it is protected once more', async () => {
    await mkdir(at('ws/deploy/sub'), { recursive: true });
    await writeFile(at('ws/deploy/sub/key'), 'untouched');
    await run('echo x > deploy/new; echo x > deploy/sub/new', { protect: ['deploy', 'deploy/sub/key'] });
    expect(await readdir(at('ws/deploy'), { recursive: true })).toEqual(['sub', 'sub/key']);
  });

  it('is a .git that is a file, and the folder that it names', async () => {
    await mkdir(at('ws/repo/hooks'), { recursive: true });
    await writeFile(at('ws/repo/config'), 'untouched');
    await writeFile(at('ws/.git'), 'gitdir: repo\n');
    const script =
      'echo "gitdir: evil" > .git; rm -f .git; mkdir evil; mv evil .git; echo x > repo/config; echo x > repo/hooks/pre-commit; mv repo evil; echo x > repo/HEAD';
    await run(script, {});
    expect(await readFile(at('ws/.git'), 'utf8')).toBe('gitdir: repo\n');
    expect(await readFile(at('ws/repo/config'), 'utf8')).toBe('untouched');
    expect((await readdir(at('ws/repo'))).sort()).toEqual(['HEAD', 'config', 'hooks']);
    expect(await readdir(at('ws/repo/hooks'))).toEqual([]);
  });

  it('is every variant of .env, there or not, but no template of one', async () => {
    await writeFile(at('ws/.env.staging'), 'untouched');
    const script = `
      echo x > .env.staging; echo x > .env.qa; echo x > .env.example
      for i in $(seq 500); do [ -e .env.qa ] || { echo GONE; break; }; sleep 0.02; done; echo x > y; mv y .env.late`;
    const { output, notes } = await run(script, {});
    expect(output).toContain('GONE');
    expect(await readFile(at('ws/.env.staging'), 'utf8')).toBe('untouched');
    expect(await readFile(at('ws/.env.example'), 'utf8')).toBe('x\n');
    for (const name of ['.env.qa', '.env.late']) {
      expect(notes?.join()).toContain(`${name} is protected`);
      expect(await lstat(at(`ws/${name}`)).catch(() => null)).toBeNull();
      expect(await readFile(at(`ws/${name}.refused-by-sayso`), 'utf8')).toBe('x\n');
    }
  });
});
