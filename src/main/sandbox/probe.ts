import { randomBytes, randomInt } from 'node:crypto';
import { constants } from 'node:fs';
import { access, lstat, mkdtemp, readdir, readFile, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Protection, SandboxTier } from '@shared/states';
import { type AttemptName, SUCCEEDED } from './findings';
import { probeScript } from './probe-script';
import type { Sandbox } from './process';
import { commandLines } from './ps-table';

/** One thing that was tried. `enforced`: it was refused; `not-enforced`: it succeeded; `unknown`: it could not be tried. */
export type Attempts = Readonly<Record<AttemptName, Protection>>;

export type ProbeResult =
  | { readonly works: true; readonly tier: SandboxTier; readonly attempts: Attempts }
  /** Nothing can be run in this tier on this machine; why, in the words of what failed. */
  | { readonly works: false; readonly reason: string };

/** A probe takes a tenth of a second; this is for a machine that is very busy, in milliseconds. */
const TIMEOUT_MS = 15_000;

/** What belongs to root and is not separated by namespaces. */
const KERNEL_SETTING = '/proc/sys/kernel/core_pattern';

const PROTECTED_BY = {
  files: ['write-outside', 'read-secret', 'change-kernel'],
  network: ['loopback', 'host-socket', 'abstract-socket', 'vsock'],
  processes: ['outlive'],
  privileges: ['gain-privileges'],
} as const satisfies Record<string, readonly AttemptName[]>;

/**
 * Tries, once, to break each protection of a tier, against targets of its own.
 * @param folder of the app's own, absolute; what a command must never see is put there for a moment.
 */
export async function probe(sandbox: Sandbox, folder: string): Promise<ProbeResult> {
  const outside = await realpath(await mkdtemp(join(folder, 'probe-')));
  const workspace = await realpath(await mkdtemp(join(tmpdir(), 'sayso-probe-')));
  const reached = new Set<string>();
  const servers: Server[] = [];
  const secret = randomBytes(16).toString('hex');
  const abstract = `sayso-probe-${secret}`;
  const seconds = String(randomInt(1_000_000_000, 2_000_000_000));
  try {
    await writeFile(join(outside, 'secret'), secret, { mode: 0o600 });
    const listen = async (name: string, where: { port: number; host: string } | { path: string }): Promise<Server> => {
      const server = createServer((socket) => {
        reached.add(name);
        socket.on('error', () => undefined).destroy();
      });
      servers.push(server);
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen(where, resolve));
      return server;
    };
    const address = (await listen('loopback', { port: 0, host: '127.0.0.1' })).address();
    await listen('host-socket', { path: join(outside, 'socket') });
    // Node cannot listen on one under exactly this name in all versions; only what is really there can be reached.
    await listen('abstract-socket', { path: `\0${abstract}` }).catch(() => undefined);
    const hasAbstract = (await readFile('/proc/net/unix', 'latin1').catch(() => '')).includes(`@${abstract}\n`);
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const result = await sandbox.run(
      {
        argv: ['/bin/sh', '-c', probeScript({ outside, port, abstract, seconds, setting: KERNEL_SETTING })],
        cwd: workspace,
        workspace,
        environment: { PATH: '/usr/bin:/bin', HOME: homedir() },
        timeoutMs: TIMEOUT_MS,
      },
      { signal: new AbortController().signal, onOutput: () => undefined },
    );
    const words = new Set(result.output.split('\n'));
    if (!words.has('finished')) return { works: false, reason: failure(result) };
    // Connections that were made are accepted by now or are about to be.
    await new Promise((resolve) => setImmediate(resolve));
    const attempts = judge({
      words,
      reached,
      hasAbstract,
      wrote: (await lstat(join(outside, 'written')).catch(() => null)) !== null,
      read: result.output.includes(secret) || (words.has('shadow') && (await shadowIsOurs())),
      stayed: await endSurvivors(seconds),
      ownNetwork: await readlink('/proc/self/ns/net').catch(() => null),
      hasKernelSettings: (await lstat(KERNEL_SETTING).catch(() => null)) !== null,
      platform: process.platform,
    });
    return { works: true, tier: tierOf(sandbox.tier, attempts), attempts };
  } finally {
    for (const server of servers) server.close();
    await Promise.all([outside, workspace].map((path) => rm(path, { recursive: true, force: true })));
  }
}

/** What came of the attempts, as it was seen from outside and as the script tells it. */
export interface Seen {
  /** The lines of what the script printed. */
  readonly words: ReadonlySet<string>;
  /** Targets that were connected to. */
  readonly reached: ReadonlySet<string>;
  /** Whether the abstract socket was really there. */
  readonly hasAbstract: boolean;
  readonly wrote: boolean;
  readonly read: boolean;
  /** Whether a process stayed behind; null where that cannot be seen. */
  readonly stayed: boolean | null;
  /** What the app's own network namespace is called; null where there is no such thing. */
  readonly ownNetwork: string | null;
  /** Whether there are settings of the kernel where the script looked for them. */
  readonly hasKernelSettings: boolean;
  readonly platform: NodeJS.Platform;
}

/** What holds: only what was tried, in a way that could have been seen to succeed, and did not. */
export function judge(seen: Seen): Attempts {
  const { words, reached, ownNetwork } = seen;
  const tried = (attempt: AttemptName, means: string): Protection | null =>
    reached.has(attempt) ? 'not-enforced' : words.has(means) ? 'enforced' : null;
  // What belongs to a network namespace cannot be reached from another one, which settles what could not be tried.
  const byNamespace = ownNetwork === null ? 'unknown' : refused(!words.has(`net ${ownNetwork}`));
  const isLinux = seen.platform === 'linux';
  return {
    'write-outside': refused(!seen.wrote),
    'read-secret': refused(!seen.read),
    'change-kernel': words.has('kernel') ? 'not-enforced' : seen.hasKernelSettings ? 'enforced' : 'unknown',
    loopback: tried('loopback', 'can-inet') ?? byNamespace,
    'host-socket': tried('host-socket', 'can-unix') ?? 'unknown',
    'abstract-socket': (seen.hasAbstract ? tried('abstract-socket', 'can-abstract') : null) ?? byNamespace,
    // The number of this family is another one elsewhere.
    vsock: words.has('vsock') ? 'not-enforced' : isLinux && words.has('can-vsock') ? 'enforced' : 'unknown',
    'gain-privileges': refused(
      words.has('CapEff:\t0000000000000000') && words.has('NoNewPrivs:\t1') && !words.has('namespace'),
    ),
    outlive: seen.stayed === null ? 'unknown' : refused(!seen.stayed),
  };
}

const refused = (is: boolean): Protection => (is ? 'enforced' : 'not-enforced');

const shadowIsOurs = (): Promise<boolean> =>
  access('/etc/shadow', constants.R_OK).then(
    () => true,
    () => false,
  );

function tierOf(tier: SandboxTier, attempts: Attempts): SandboxTier {
  const worst = (names: readonly AttemptName[]): Protection => {
    const states = names.map((name) => attempts[name]);
    if (states.includes('not-enforced')) return 'not-enforced';
    return states.includes('unknown') ? 'unknown' : 'enforced';
  };
  const names = Object.keys(SUCCEEDED) as AttemptName[];
  return {
    ...tier,
    files: worst(PROTECTED_BY.files),
    network: worst(PROTECTED_BY.network),
    processes: worst(PROTECTED_BY.processes),
    privileges: worst(PROTECTED_BY.privileges),
    notes: [
      ...names.filter((name) => attempts[name] === 'not-enforced').map((name) => SUCCEEDED[name]),
      ...(tier.notes ?? []),
    ],
  };
}

function failure({ end, output }: Awaited<ReturnType<Sandbox['run']>>): string {
  // What could not be started is the sandbox, not its shell.
  if (end.type === 'not-started') return end.message.replace(/^\S+ cannot be started( in the sandbox)?: /, '');
  const last = output.trim().split('\n').at(-1) ?? '';
  return `${last === '' ? 'nothing was printed' : last} (${end.type === 'exited' ? `exit code ${end.exitCode}` : end.type})`;
}

/**
 * Whether a process that was to stay behind did. It is ended here.
 * @param proc where the kernel tells of processes
 * @returns null where none was found, nor could have been: where this process cannot be found either
 */
export async function endSurvivors(seconds: string, proc = '/proc'): Promise<boolean | null> {
  const pids = (await readdir(proc).catch(() => [])).filter((name) => /^\d+$/.test(name));
  const lineOf = (pid: string): Promise<string> => readFile(join(proc, pid, 'cmdline'), 'latin1').catch(() => '');
  const stayed = pids.length === 0 ? await inPs(seconds) : [];
  for (const pid of pids) if ((await lineOf(pid)).startsWith(`sleep\0${seconds}`)) stayed.push(Number(pid));
  stayed.forEach(kill);
  if (stayed.length > 0) return true;
  return (await lineOf(String(process.pid))) === '' ? null : false;
}

/** Where there is no /proc: to end what is found. That nothing is found proves nothing, as that was tried nowhere yet. */
async function inPs(seconds: string): Promise<number[]> {
  const lines = await commandLines().catch(() => new Map<number, string>());
  return [...lines].filter(([, line]) => line === `sleep ${seconds}`).map(([pid]) => pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself just now.
  }
}
