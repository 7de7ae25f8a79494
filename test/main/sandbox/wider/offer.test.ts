import { execFileSync } from 'node:child_process';
import { chmod, link, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_POLICY, type SandboxPolicy } from '../../../../src/main/sandbox/policy';
import type { Refusal } from '../../../../src/main/sandbox/refusal';
import { offerAll } from '../../../../src/main/sandbox/wider/offer';
import { tempFolder } from '../helpers';

let base: string;
let workspace: string;
beforeEach(async () => {
  base = await tempFolder();
  workspace = join(base, 'ws');
  await mkdir(join(base, 'data/deep'), { recursive: true });
  await mkdir(workspace);
  await writeFile(join(base, 'data/file'), 'x');
});

interface Options {
  readonly policy?: Partial<SandboxPolicy>;
  readonly own?: readonly string[];
}

async function offered(wanted: readonly Refusal[], { policy, own = [] }: Options = {}) {
  const environment = { HOME: homedir(), PATH: '/usr/bin:/bin' };
  const place = { workspace, environment, policy: { ...DEFAULT_POLICY, ...policy } };
  return (await offerAll(wanted, place, { own, files: 'confined' })).map(({ allowance }) => allowance);
}

const at = (path: string) => join(base, path);
const write = (path: string): Refusal => ({ kind: 'write', path: at(path) });
const read = (path: string): Refusal => ({ kind: 'read', path: at(path) });
const access = (path: string): Refusal => ({ kind: 'access', path: at(path) });
const shut: Refusal = { kind: 'network', host: null, port: null };

describe('what is offered', () => {
  it('is a file or a folder that is there', async () => {
    expect(await offered([read('data/file')])).toEqual([
      { kind: 'read', path: at('data/file'), is: 'file', nearestTo: null },
    ]);
    expect(await offered([write('data')])).toEqual([
      { kind: 'write', path: at('data'), is: 'folder', nearestTo: null },
    ]);
    expect(await offered([access('data/file')])).toMatchObject([{ kind: 'read', path: at('data/file') }]);
    expect(await offered([read('nothing')])).toEqual([]);
  });

  it('is the nearest folder that is there, for what was to be made in it', async () => {
    const nearest = { kind: 'write', path: at('data'), is: 'folder' };
    expect(await offered([write('data/a/b/c')])).toEqual([{ ...nearest, nearestTo: at('data/a/b/c') }]);
    expect(await offered([access('data/new')])).toEqual([{ ...nearest, nearestTo: at('data/new') }]);
    // Where it is not known that something was to be made, only its own folder.
    expect(await offered([access('data/a/new')])).toEqual([]);
    // The folder that holds the workspace.
    expect(await offered([write('new'), access('new')])).toEqual([]);
    expect(await offered([write(`data/${'a/'.repeat(12)}b`)])).toEqual([]);
  });

  it('is at most three things, each once, and none that another one includes', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await writeFile(at(name), '');
    const many = await offered(['a', 'b', 'b', 'c', 'd'].map(read));
    expect(many.map((one) => one.kind === 'read' && one.path)).toEqual([at('a'), at('b'), at('c')]);
    expect(await offered([read('data/file'), write('data'), read('data/deep'), shut])).toMatchObject([
      { kind: 'write', path: at('data') },
      { kind: 'network', host: null },
    ]);
  });

  it('is nothing that the agent file has settled', async () => {
    expect(await offered([shut], { policy: { network: true } })).toEqual([]);
    expect(await offered([read('data/file')], { policy: { read: [at('data')] } })).toEqual([]);
    expect(await offered([write('data/file')], { policy: { read: [at('data')] } })).toEqual([]);
    expect(await offered([write('data')], { policy: { read: [at('data/file')] } })).toEqual([]);
    expect(await offered([write('data/file')], { policy: { write: [at('data')] } })).toEqual([]);
    expect(await offered([write('data/file')], { policy: { protect: [at('data')] } })).toEqual([]);
  });

  it('is one host by its name where the agent file lists some, and never all of the network in their place', async () => {
    const host = (name: string, port: number | null = 443): Refusal => ({ kind: 'network', host: name, port });
    const network = { hosts: [{ host: '*.listed.example', port: null }], privateHosts: [] };
    const wanted = [
      ...['a.listed.example', '127.0.0.1', '[::1]', '10.0.0.1', '169.254.169.254', 'localhost', 'printer.local'],
      ...['*.com', '*', 'a b.example', 'x.example.', 'UPPER.example', ''],
    ].map((name) => host(name));
    expect(await offered([shut, ...wanted], { policy: { network } })).toEqual([]);
    expect(await offered([shut, host('other.example', 8_443)], { policy: { network } })).toEqual([
      { kind: 'network', host: 'other.example', port: 8_443 },
    ]);
    expect(await offered([host('other.example')], { policy: { network: true } })).toEqual([]);
    expect(await offered([host('other.example'), shut])).toEqual([shut]);
  });

  it('is only the network where files are not confined', async () => {
    const place = { workspace, environment: {} };
    const found = await offerAll([read('data/file'), shut], place, { own: [], files: 'open' });
    expect(found.map(({ allowance }) => allowance.kind)).toEqual(['network']);
  });
});

describe('what is never offered, though it is there', () => {
  it('a link, and what a link leads to', async () => {
    await symlink(at('data'), at('link'));
    await symlink(join(homedir(), '.ssh'), at('keys'));
    await symlink(at('data'), join(workspace, 'inside'));
    await symlink(at('nothing'), at('data/dangling'));
    const wanted = ['link', 'link/file', 'keys', 'keys/id_rsa', 'ws/inside/file', 'data/dangling', 'data/dangling/x'];
    expect(await offered(wanted.flatMap((path) => [read(path), write(path), access(path)]))).toEqual([]);
  });

  it('a socket, a pipe, and a folder that holds one', async () => {
    const server = createServer().listen(at('data/deep/socket'));
    execFileSync('mkfifo', [at('pipe')]);
    try {
      const wanted = ['data', 'data/deep', 'data/deep/socket', 'pipe'];
      expect(await offered(wanted.flatMap((path) => [read(path), write(path)]))).toEqual([]);
      expect(await offered([read('data/file')])).toHaveLength(1);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it.each(['.env', 'id_rsa', '.aws', 'server.pem'])('a folder in which %s lies', async (name) => {
    await mkdir(at('data/deep/more'));
    await writeFile(at(`data/deep/more/${name}`), '');
    expect(await offered([read('data'), write('data')])).toEqual([]);
  });

  it.each(['.git', '.vscode', '.mcp.json'])('for writing, a folder in which %s lies', async (name) => {
    await mkdir(at(`data/deep/${name}`));
    expect(await offered([write('data')])).toEqual([]);
    expect(await offered([read('data')])).toHaveLength(1);
  });

  it('for writing, a program', async () => {
    await chmod(at('data/file'), 0o755);
    expect(await offered([write('data/file')])).toEqual([]);
  });

  it('Sayso’s own data, also by another name of its folder', async () => {
    await mkdir(at('own'));
    await writeFile(at('own/store'), '');
    await symlink(at('own'), at('alias'));
    for (const own of [at('own'), at('alias')]) {
      expect(await offered([read('own'), read('own/store'), write('own/new'), read('.')], { own: [own] })).toEqual([]);
    }
  });

  it('a folder that cannot be looked through', async () => {
    await mkdir(at('data/many'));
    await writeFile(at('data/one'), '');
    // Names of one file are cheap; there are more than are looked at.
    for (let n = 0; n < 20_001; n += 500) {
      await Promise.all(Array.from({ length: 500 }, (_, k) => link(at('data/one'), at(`data/many/${n + k}`))));
    }
    expect(await offered([read('data')])).toEqual([]);
    expect(await offered([read('data/deep')])).toHaveLength(1);
  }, 60_000);

  it('a folder directly below the root', async () => {
    expect(
      await offered([
        { kind: 'read', path: '/tmp' },
        { kind: 'write', path: '/tmp/nothing-of-this-name' },
      ]),
    ).toEqual([]);
  });
});

describe('a permission', () => {
  it('is for the very place that was looked at', async () => {
    const look = async () =>
      (await offerAll([read('data')], { workspace, environment: {} }, { own: [], files: 'confined' }))[0];
    const before = await look();
    await rename(at('data'), at('moved'));
    await mkdir(at('data'));
    const after = await look();
    expect(after?.allowance).toEqual(before?.allowance);
    expect(after?.identity).not.toBe(before?.identity);
  });
});
