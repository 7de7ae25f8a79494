import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { changedMount } from '../../../src/main/sandbox/bwrap/changed-mount';
import { MountTable, mountTableOf } from '../../../src/main/sandbox/bwrap/mount-table';
import type { Mount } from '../../../src/main/sandbox/bwrap/mounts';
import { confinable } from './confined';
import { tempFolder } from './helpers';

let top = '';
const at = (path: string): string => join(top, path);

beforeEach(async () => {
  top = await tempFolder();
  for (const folder of ['ws', 'outside']) {
    await mkdir(at(`${folder}/a b/c`), { recursive: true });
    await writeFile(at(`${folder}/a b/file`), folder);
  }
});

/** What a namespace with these mounts shows that is not what was meant, from the top of the test. */
async function changed(
  options: readonly string[],
  meant: readonly Mount[],
  meanwhile = async () => {},
  as = (table: MountTable) => table,
) {
  const base = ['--die-with-parent', '--ro-bind', '/', '/', '--tmpfs', '/tmp', '--bind', at('ws'), at('ws')];
  const child = spawn('bwrap', [...base, ...options, '--', 'sh', '-c', 'echo $$; exec sleep 60'], { stdio: 'pipe' });
  onTestFinished(async () => {
    child.kill('SIGKILL');
  });
  const [pid] = await once(child.stdout, 'data');
  await meanwhile();
  const tables = { host: as(mountTableOf('self')), sandbox: as(mountTableOf(Number(pid))) };
  const mounts: Mount[] = [{ kind: 'write', path: at('ws') }, ...meant];
  return changedMount(mounts, [at('ws')], tables)?.slice(top.length + 1) ?? null;
}

const bind = (kind: 'bind' | 'ro-bind', from: string, to = from) => [`--${kind}`, at(from), at(to)];

describe.runIf(confinable)('a mount in a folder that others can change', () => {
  it('is what was meant', async () => {
    await mkdir(at('ws/private'));
    const meant: Mount[] = [
      { kind: 'write', path: at('ws/a b') },
      { kind: 'read', path: at('ws/a b/file') },
      { kind: 'closed', path: at('ws/a b/c') },
      { kind: 'private', path: at('ws/private'), bytes: 4_096 },
    ];
    await rm(at('ws/a b/c'), { recursive: true });
    await writeFile(at('ws/a b/c'), '');
    const closed = ['--ro-bind', '/dev/null', at('ws/a b/c')];
    const options = [
      ...bind('bind', 'ws/a b'),
      ...bind('ro-bind', 'ws/a b/file'),
      ...closed,
      '--tmpfs',
      at('ws/private'),
    ];
    expect(await changed(options, meant)).toBeNull();
  });

  it.each([
    ['write', 'bind'],
    ['read', 'ro-bind'],
  ] as const)('is not what a link leads to: %s', async (kind, option) => {
    const options = bind(option, 'outside/a b', 'ws/a b');
    expect(await changed(options, [{ kind, path: at('ws/a b') }])).toBe('ws/a b');
  });

  it('is not the folder itself where a link leads to it now', async () => {
    const swap = async () => {
      await rename(at('ws/a b'), at('ws/real'));
      await symlink('real', at('ws/a b'));
    };
    expect(await changed(bind('bind', 'ws/a b'), [{ kind: 'write', path: at('ws/a b') }], swap)).toBe('ws/a b');
  });

  it.each([
    ['missing', [], { kind: 'write' }],
    ['open to writing', ['--bind'], { kind: 'read' }],
    ['no folder in memory', ['--bind'], { kind: 'private', bytes: 4_096 }],
    ['open to reading', ['--ro-bind'], { kind: 'closed' }],
  ] as const)('is not one that is %s', async (_, options, kind) => {
    const path = at('ws/a b/file');
    const given = options.flatMap((option) => [option, path, path]);
    expect(await changed(given, [{ ...kind, path }])).toBe('ws/a b/file');
  });

  it('is not what was moved away after it was mounted', async () => {
    const meant: Mount = { kind: 'read', path: at('ws/a b/file') };
    const replace = async () => {
      await writeFile(at('ws/new'), '');
      await rename(at('ws/new'), at('ws/a b/file'));
    };
    expect(await changed(bind('ro-bind', 'ws/a b/file'), [meant], replace)).toBe('ws/a b/file');
  });

  it('is told from another one also where the file system names no paths', async () => {
    const unnamed = ({ lines, top: root }: MountTable) =>
      new MountTable(
        lines.map((line) => ({ ...line, root: '/', type: 'nfs4' })),
        root,
      );
    const nothing = async () => {};
    const meant: Mount = { kind: 'write', path: at('ws/a b') };
    expect(await changed(bind('bind', 'ws/a b'), [meant], nothing, unnamed)).toBeNull();
    expect(await changed(bind('bind', 'outside/a b', 'ws/a b'), [meant], nothing, unnamed)).toBe('ws/a b');
    const swap = async () => {
      await rename(at('ws/a b'), at('ws/real'));
      await symlink('real', at('ws/a b'));
    };
    const inLink: Mount = { kind: 'read', path: at('ws/a b/file') };
    await expect(changed(bind('ro-bind', 'ws/a b/file'), [inLink], swap, unnamed)).resolves.toBe('ws/a b/file');
  });
});
