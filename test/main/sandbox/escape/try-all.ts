import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, chown, copyFile, mkdir, mkdtemp, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SandboxTier } from '@shared/states';
import type { ProbeResult } from '../../../../src/main/sandbox/probe';
import type { ProcessEnd } from '../../../../src/main/sandbox/process';
import { mountDisk } from '../../../support/disk';
import { bundle } from '../bundle';
import type { Attempt } from './attempts';
import { MADE } from './made';

const run = promisify(execFile);

/** A user that nobody on this machine is. */
export const STRANGER = 54_321;

/** What attempts write until it is full, in bytes. In memory. */
const DISK_BYTES = 1024 ** 3;
const DOCKER = '/run/docker.sock';

export interface AttemptsConfig {
  readonly tier: SandboxTier['name'];
  readonly outside: string;
  readonly data: string;
  readonly workspace: string;
  /** A small disk, for attempts that fill one. */
  readonly disk: string;
  /** Whether each attempt finds everything as it was in the beginning. */
  readonly fresh: boolean;
  readonly abstract: string;
  readonly attempts: readonly Attempt[];
}

export interface AttemptsReport {
  readonly probed: ProbeResult;
  readonly results: {
    readonly name: string;
    readonly end: ProcessEnd;
    readonly output: string;
    readonly escaped: boolean;
  }[];
}

export interface Tried extends AttemptsReport {
  /** What of the workspace and outside was changed, as far as it must not be. */
  readonly changes: readonly string[];
  /** Whether the socket of docker is the test's own; else there is a docker here, which may let nobody in. */
  readonly ownsDocker: boolean;
}

/** Makes a machine's worth of targets for a user, lets an app of that user try everything, and looks at what is left. */
export async function tryAll(
  tier: SandboxTier['name'],
  uid: number,
  attempts: readonly Attempt[],
  { fresh = false }: { readonly fresh?: boolean } = {},
): Promise<Tried & { readonly folder: string }> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'sayso-escape-')));
  const [outside, home] = [join(folder, 'elsewhere'), join(folder, 'home')];
  const [data, workspace] = [join(home, '.config', 'sayso'), join(home, 'project')];
  const script = await bundle('run-attempts.ts', join(folder, 'app'));
  for (const path of ['elsewhere', 'home/.ssh', 'home/.config/sayso', 'home/project/deep/down']) {
    await mkdir(join(folder, path), { recursive: true });
  }
  const files: Readonly<Record<string, string>> = {
    'elsewhere/file': 'untouched',
    'elsewhere/secret': 'hidden-away',
    'home/.ssh/id_ed25519': 'hidden-away',
    'home/.config/sayso/sayso.db': 'hidden-away',
    'home/project/.env': 'untouched',
    'home/project/deep/down/kept': 'untouched',
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  await run('git', ['init', '--quiet', workspace], { env: { PATH: process.env.PATH, HOME: home } });
  await writeFile(join(workspace, '.git/hooks/pre-commit'), 'untouched');
  await run('chown', ['-R', `${uid}:${uid}`, outside, home]);
  await copyFile('/usr/bin/id', join(workspace, 'setuid-id'));
  await chmod(join(workspace, 'setuid-id'), 0o4755);
  if (uid === 0) await chown(join(workspace, 'setuid-id'), STRANGER, STRANGER);
  if (uid === 0) await chmod(join(workspace, 'setuid-id'), 0o4755);
  await chmod(folder, 0o755);
  await Promise.all([outside, home].map((path) => chmod(path, 0o700)));

  const abstract = `sayso-escape-${randomUUID()}`;
  const disk = await mountDisk(DISK_BYTES, { uid, at: join(folder, 'disk') });
  const listener = await listenAbstract(abstract);
  const docker = await listenAsDocker();
  const config: AttemptsConfig = { tier, outside, data, workspace, disk: disk.path, fresh, abstract, attempts };
  await writeFile(join(folder, 'config.json'), JSON.stringify(config));
  const gitConfig = await readFile(join(workspace, '.git/config'), 'utf8');
  try {
    const { stdout } = await run(process.execPath, [script, join(folder, 'config.json')], {
      uid,
      gid: uid,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', HOME: home, SECRET: 'hidden-variable' },
      maxBuffer: 64 * 1024 * 1024,
    });
    const report = JSON.parse(stdout) as AttemptsReport;
    const changes: string[] = [];
    for (const [path, text] of Object.entries(files)) {
      if ((await readFile(join(folder, path), 'utf8').catch(() => null)) !== text) changes.push(path);
    }
    if ((await readFile(join(workspace, '.git/config'), 'utf8')) !== gitConfig) changes.push('.git/config');
    if ((await readFile(join(workspace, '.git/hooks/pre-commit'), 'utf8')) !== 'untouched') changes.push('pre-commit');
    const hooks = (await readdir(join(workspace, '.git/hooks'))).filter((name) => !name.endsWith('.sample'));
    if (hooks.join() !== 'pre-commit') changes.push(`hooks: ${hooks.join()}`);
    changes.push(...(await readdir(workspace)).filter((name) => MADE.includes(name)));
    const left = [await readdir(outside), await readdir(home)].map((names) => names.sort().join()).join(' ');
    if (left !== 'file,secret .config,.ssh,project') changes.push(`outside: ${left}`);
    return { ...report, changes, ownsDocker: docker !== null, folder };
  } finally {
    listener.kill();
    docker?.close();
    disk.unmount();
  }
}

/**
 * Stands in for docker where there is none.
 * @returns null where there is one
 * @throws Error where a socket of one is left that nobody listens at
 */
async function listenAsDocker(): Promise<Server | null> {
  const server = createServer((socket) => socket.destroy());
  const failure = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    server.once('error', resolve).listen(DOCKER, () => resolve(null));
  });
  if (failure === null) {
    await chmod(DOCKER, 0o666);
    return server;
  }
  if (failure.code !== 'EADDRINUSE') throw failure;
  const refused = await new Promise<boolean>((resolve) => {
    const socket = connect(DOCKER, () => resolve(false)).once('error', () => resolve(true));
    socket.once('close', () => socket.destroy()).end();
  });
  if (refused) throw new Error(`Nobody listens at ${DOCKER}: start docker, or remove that file.`);
  return null;
}

/** Node cannot listen on an abstract socket in all versions. */
async function listenAbstract(name: string): Promise<ChildProcess> {
  const script =
    'use Socket; $| = 1; my $s; socket($s, PF_UNIX, SOCK_STREAM, 0); bind($s, pack_sockaddr_un("\\0$ARGV[0]")); listen($s, 9); print "ready\\n"; accept(my $c, $s) while 1;';
  const child = spawn('perl', ['-e', script, name], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return child;
}
