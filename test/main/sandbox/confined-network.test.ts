import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, chown, copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AllowedHost } from '@shared/agent-hosts';
import { afterEach, describe, expect, it } from 'vitest';
import type { Resolver } from '../../../src/main/network/look-up';
import { DEFAULT_LIMITS } from '../../../src/main/sandbox/policy';
import type { Sandbox } from '../../../src/main/sandbox/process';
import { createProcessTier } from '../../../src/main/sandbox/process-tier';
import { createUnshareTier, findUnshareHost } from '../../../src/main/sandbox/unshare-tier';
import { certificateFor } from '../../support/certificate';
import { bundle } from './bundle';
import { type ConfinedOptions, confinable, confined, confinedSh, makeTier } from './confined';
import { processesWith, tempFolder, until } from './helpers';

const run = promisify(execFile);
const DONE = { type: 'exited', exitCode: 0 };
const root = process.getuid?.() === 0;
/** A user that nobody on this machine is. */
const STRANGER = 54_321;

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    if ('closeAllConnections' in server) (server as ReturnType<typeof createServer>).closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const site = (listener: RequestListener): Promise<number> => listening(createServer(listener));

/** In these tests every name that ends so is this machine; the real resolver knows none of them. */
const resolve: Resolver = async (name) => {
  if (!name.endsWith('.test')) throw Object.assign(new Error(name), { code: 'ENOTFOUND' });
  return ['127.0.0.1'];
};

interface Network extends ConfinedOptions {
  /** `name:port`. */
  readonly hosts: readonly string[];
  readonly privateHosts?: readonly string[];
  readonly names?: Resolver;
}

const entries = (texts: readonly string[]): AllowedHost[] =>
  texts.map((text) => ({ host: text.replace(/:\d+$/, ''), port: Number(/\d+$/.exec(text)?.[0]) }));

async function options({ hosts, privateHosts = hosts, names = resolve, ...rest }: Network): Promise<ConfinedOptions> {
  const network = { hosts: entries(hosts), privateHosts: entries(privateHosts) };
  return { ...rest, sandbox: rest.sandbox ?? (await makeTier([], names)), policy: { ...rest.policy, network } };
}

const withHosts = async (script: string, network: Network) => confinedSh(script, await options(network));

/** Prints status and body of a URL, as a program does that knows of proxies. */
const PYTHON = `
import sys, urllib.request, urllib.error
for url in sys.argv[1:]:
    try:
        with urllib.request.urlopen(url, timeout=20) as answer: print(answer.status, answer.read().decode())
    except urllib.error.HTTPError as error: print(error.code, error.read().decode().strip())
    except Exception as error: print("failed", error)
`;
const asking = async (urls: string[], network: Network) =>
  confined(['python3', '-c', PYTHON, ...urls], await options(network));

/** Connects without a proxy. */
const DIRECT = `
const [host, port] = process.argv.slice(1);
require("net").connect({ host, port: Number(port) }).on("connect", function () { console.log("connected"); this.destroy(); })
  .on("error", ({ code }) => console.log(code)).on("close", () => process.exit());
`;

describe.runIf(confinable)('a command with a list of hosts', () => {
  it('reaches a host of it in plain HTTP, and is told what it reached', async () => {
    const port = await site((request, response) => response.end(`hello ${request.headers.host} ${request.url}`));
    const { end, output, notes, refused } = await asking([`http://own.test:${port}/a?b`], {
      hosts: [`own.test:${port}`],
    });
    expect([end, output]).toEqual([DONE, `200 hello own.test:${port} /a?b\n`]);
    expect(notes).toEqual([`Reached through the proxy: own.test:${port}.`]);
    expect(refused).toBeUndefined();
  });

  it('reaches it through TLS, which is not opened', async () => {
    const workspace = await tempFolder();
    const { key, cert } = certificateFor('own.test');
    await writeFile(join(workspace, 'ca.pem'), cert);
    const port = await listening(createTlsServer({ key, cert }, (_, response) => response.end('secret')));
    const result = await asking([`https://own.test:${port}/`], {
      hosts: [`own.test:${port}`],
      workspace,
      environment: { SSL_CERT_FILE: join(workspace, 'ca.pem') },
    });
    expect(result.output).toBe('200 secret\n');
    expect(result.notes).toEqual([`Reached through the proxy: own.test:${port}.`]);
  });

  it('reaches no other, and both are told which', async () => {
    const port = await site((_, response) => response.end('LEAKED'));
    const urls = [`http://other.test:${port}/`, 'http://example.com/', 'https://example.com/'];
    const { output, notes, refused } = await asking(urls, {
      hosts: [`own.test:${port}`],
      privateHosts: [`other.test:${port}`],
    });
    const [first, second, third] = output.split('\n');
    expect(first).toBe(
      `403 Sayso: other.test:${port} is not among the hosts that the agent file allows (sandbox.network).`,
    );
    expect(second).toContain('403 Sayso: example.com:80 is not among');
    expect(third).toContain('403 Forbidden');
    const hosts = [
      { kind: 'network', host: 'other.test', port },
      { kind: 'network', host: 'example.com', port: 80 },
      { kind: 'network', host: 'example.com', port: 443 },
    ];
    expect(refused).toEqual(hosts);
    expect(notes).toEqual([
      `The sandbox refused, as not among the hosts of the agent file (sandbox.network): ${hosts.map((one) => `${one.host}:${one.port}`).join(', ')}.`,
    ]);
  });

  it('reaches nothing without the proxy, and looks nothing up', async () => {
    const port = await site((_, response) => response.end('LEAKED'));
    const direct = async (host: string, to: number) =>
      confined(['node', '-e', DIRECT, host, String(to)], await options({ hosts: [`own.test:${port}`] }));
    expect((await direct('127.0.0.1', port)).output).toBe('ECONNREFUSED\n');
    expect((await direct('1.1.1.1', 443)).output).toMatch(/^ENETUNREACH\n$/);
    const byName = await direct('own.test', port);
    expect(byName.output).toMatch(/^(?:EAI_AGAIN|ENOTFOUND)\n$/);
    const interfaces = await withHosts('tail -n +3 /proc/net/dev | cut -d: -f1', { hosts: [`own.test:${port}`] });
    expect(interfaces.output.trim()).toBe('lo');
  });

  it('that knows of no proxy is told of it', async () => {
    const script = 'echo "could not resolve host"; false';
    expect((await withHosts(script, { hosts: ['own.test:1'] })).notes?.join()).toContain('HTTPS_PROXY');
  });

  it('reaches no server of this machine, by whatever name', async () => {
    const port = await site((_, response) => response.end('LEAKED'));
    const urls = ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', 'own.test'].map((host) => `http://${host}:${port}/`);
    const { output } = await asking(urls, {
      hosts: [`own.test:${port}`],
      privateHosts: [],
      environment: { no_proxy: '*' },
    });
    expect(output).not.toContain('LEAKED');
    expect(output).toContain(`403 Sayso: own.test stands for 127.0.0.1, an address of this machine.`);
  });

  it('reaches what it serves itself, directly', async () => {
    const script =
      'const s=require("http").createServer((q,r)=>r.end("served")).listen(0,"127.0.0.1",async()=>{const {port}=s.address();console.log(await (await fetch("http://127.0.0.1:"+port)).text());require("child_process").execFile("python3",["-c",process.argv[1],"http://localhost:"+port],(e,out)=>{console.log(out.trim());s.close()})})';
    const { output } = await confined(['node', '-e', script, PYTHON], await options({ hosts: ['own.test:1'] }));
    expect(output).toBe('served\n200 served\n');
  });

  it('reaches this machine where the agent file says so, and then no server of its own by that name', async () => {
    const port = await site((_, response) => response.end('the operator’s own'));
    const { output } = await asking([`http://localhost:${port}/`], {
      hosts: [`localhost:${port}`],
      names: async () => ['127.0.0.1'],
    });
    expect(output).toBe('200 the operator’s own\n');
  });

  it('is not led elsewhere by a name that changes its meaning, or by a redirect', async () => {
    const secret = await site((_, response) => response.end('LEAKED'));
    const port = await site((request, response) => {
      const to = request.url === '/out' ? `http://other.test:${secret}/` : `http://own.test:${port}/there`;
      if (request.url === '/there') response.end('arrived');
      else response.writeHead(302, { Location: to }).end();
    });
    const hosts = [`own.test:${port}`];
    const redirected = await asking([`http://own.test:${port}/out`, `http://own.test:${port}/in`], { hosts });
    expect(redirected.output).toBe(
      `403 Sayso: other.test:${secret} is not among the hosts that the agent file allows (sandbox.network).\n200 arrived\n`,
    );
    let looks = 0;
    const names: Resolver = async () => (++looks === 1 ? ['127.0.0.1'] : ['169.254.169.254']);
    const rebound = await asking([`http://own.test:${port}/there`, `http://own.test:${port}/there`], { hosts, names });
    expect(rebound.output).toContain('200 arrived\n403 Sayso: own.test stands for 169.254.169.254');
  });

  it('shares its way with no other one', async () => {
    const port = await site((request, response) => setTimeout(() => response.end(request.headers.host), 200));
    const ask = (mine: string, theirs: string) =>
      asking([`http://${mine}:${port}/`, `http://${theirs}:${port}/`], { hosts: [`${mine}:${port}`] });
    const [one, two] = await Promise.all([ask('one.test', 'two.test'), ask('two.test', 'one.test')]);
    expect(one.output).toMatch(new RegExp(`^200 one.test:${port}\n403 .*two.test`));
    expect(two.output).toMatch(new RegExp(`^200 two.test:${port}\n403 .*one.test`));
    expect(one.notes).not.toEqual(two.notes);
  });
});

describe.runIf(confinable)('the way to the network', () => {
  const hosts = ['own.test:1'];

  it('leaves the command as it is: its environment, descriptors, processes, exit code and output', async () => {
    const odd = {
      HOME: '/home/somebody',
      ODD: ' a "b" $c `d` \'e\'\n\t\u0001é\\',
      EMPTY: '',
      ENV: '/x',
      IFS: 'x',
      PS4: '$(echo pwned >&2)',
      SHELLOPTS: 'xtrace',
      BASH_ENV: '/tmp/x',
      LD_LIBRARY_PATH: '/nowhere',
      UID: '7',
      PPID: '8',
      OPTIND: '9',
      NODE_OPTIONS: '--no-warnings',
    };
    // Not through a shell, which would change some of them.
    const script =
      'const fs=require("fs");console.log(JSON.stringify([Object.entries(process.env).filter(([n])=>!/^(_|SHLVL|SAYSO_CALL|.*proxy)$/i.test(n)).sort(),fs.readdirSync("/proc/self/fd").length,fs.readdirSync("/proc").filter((n)=>/^[0-9]+$/.test(n)).length]));process.exitCode=7';
    const workspace = await tempFolder();
    const plain = await confined(['node', '-e', script], { environment: odd, workspace });
    const listed = await confined(['node', '-e', script], await options({ hosts, environment: odd, workspace }));
    expect(listed.end).toEqual({ type: 'exited', exitCode: 7 });
    expect(listed.end).toEqual(plain.end);
    expect(JSON.parse(listed.output)).toEqual(JSON.parse(plain.output));
  });

  it('says where the proxy is, whatever the agent file said of one', async () => {
    const given = { http_proxy: 'http://evil.test', Https_Proxy: 'x', no_proxy: '*', NODE_USE_ENV_PROXY: '0' };
    const { output } = await withHosts('env | grep -i _proxy=; true', { hosts, environment: given });
    const proxy = 'http://127.0.0.1:3128';
    const direct = 'localhost,127.0.0.1,::1';
    expect(output.split('\n').sort()).toEqual(
      [
        '',
        ...['ALL_PROXY', 'HTTPS_PROXY', 'HTTP_PROXY', 'all_proxy', 'http_proxy', 'https_proxy'].map(
          (n) => `${n}=${proxy}`,
        ),
        ...['NO_PROXY', 'no_proxy'].map((name) => `${name}=${direct}`),
        'NODE_USE_ENV_PROXY=1',
      ].sort(),
    );
  });

  it('is there for exactly the tokens, and keeps the order of the output and the signal of the end', async () => {
    const tokens = ['--ro-bind', '--', '$HOME', '', 'a b', '\n', '-e'];
    const script = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
    const given = await options({ hosts });
    expect(JSON.parse((await confined(['node', '-e', script, '--', ...tokens], given)).output)).toEqual(tokens);
    const mixed = await withHosts('for i in 1 2 3; do echo out $i; echo err $i >&2; done; kill -TERM $$', { hosts });
    expect([mixed.end, mixed.output]).toEqual([
      { type: 'exited', exitCode: 143 },
      'out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n',
    ]);
  });

  it('costs a command without a list nothing', async () => {
    const { output } = await confinedSh('env | grep -ci _proxy=; cat /proc/net/tcp | wc -l');
    expect(output).toBe('0\n1\n');
  });

  it('stays within tight limits, and they hold for the command', async () => {
    const policy = { limits: { ...DEFAULT_LIMITS, processes: 8, openFiles: 64 } };
    const { output, end } = await withHosts('ulimit -n; echo ran', { hosts, policy });
    expect([end, output]).toEqual([DONE, '64\nran\n']);
    const bomb = await withHosts('b() { b | b & }; b; sleep 5; echo survived', { hosts, policy, timeoutMs: 20_000 });
    expect(bomb.output).not.toContain('survived\nsurvived');
    expect(bomb.notes?.join()).toMatch(/processes/);
  });

  it('lets the same programs work: git clone, npm install', async () => {
    const folder = await tempFolder();
    const git = (...args: string[]) =>
      run('git', ['-c', 'user.name=T', '-c', 'user.email=t@e', '-c', 'init.defaultBranch=main', ...args], {
        cwd: folder,
      });
    await git('init', '--quiet', 'src');
    await writeFile(join(folder, 'src/a.txt'), 'cloned\n');
    await git('-C', 'src', 'add', '.');
    await git('-C', 'src', 'commit', '--quiet', '--message', 'First');
    await git('clone', '--quiet', '--bare', 'src', 'repo.git');
    await git('-C', 'repo.git', 'update-server-info');
    await mkdir(join(folder, 'package'));
    await writeFile(join(folder, 'package/package.json'), JSON.stringify({ name: 'left', version: '1.0.0' }));
    await writeFile(join(folder, 'package/index.js'), 'module.exports = "installed";');
    await run('tar', ['-czf', 'left.tgz', 'package'], { cwd: folder });
    const port = await site(async (request, response) => {
      const path = new URL(request.url ?? '/', 'http://own.test').pathname;
      if (path === '/left') {
        const dist = { tarball: `http://own.test:${port}/left.tgz` };
        const versions = { '1.0.0': { name: 'left', version: '1.0.0', dist } };
        response.end(JSON.stringify({ name: 'left', 'dist-tags': { latest: '1.0.0' }, versions }));
        return;
      }
      const file = await readFile(join(folder, path)).catch(() => null);
      response.writeHead(file === null ? 404 : 200).end(file);
    });
    const workspace = await tempFolder();
    const registry = `http://own.test:${port}`;
    const script = [
      `git clone --quiet http://own.test:${port}/repo.git`,
      'cat repo/a.txt',
      `npm install --silent --no-audit --no-fund --registry ${registry} left`,
      `node -p 'require("left")'`,
    ].join(' && ');
    const { output, end } = await withHosts(script, { hosts: [`own.test:${port}`], workspace });
    expect([end, output]).toEqual([DONE, 'cloned\ninstalled\n']);
  });

  it('is there for a process that stays, and ends with it', async () => {
    let open = 0;
    const server = createServer((_, response) => response.end('for the server'));
    server.on('connection', (socket) => {
      open += 1;
      socket.on('close', () => {
        open -= 1;
      });
    });
    const port = await listening(server);
    const workspace = await tempFolder();
    const { sandbox, policy } = await options({ hosts: [`own.test:${port}`] });
    const own = entries([`own.test:${port}`]);
    const opened = await sandbox?.open({
      argv: [
        'python3',
        '-c',
        `import sys\nfor url in sys.stdin:\n sys.argv = ["", url.strip()]\n exec(${JSON.stringify(PYTHON)})\n sys.stdout.flush()`,
      ],
      cwd: workspace,
      workspace,
      environment: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' },
      policy: {
        ...policy,
        network: { hosts: own, privateHosts: own },
        read: [],
        write: [],
        protect: [],
        limits: DEFAULT_LIMITS,
      },
    });
    if (opened === undefined) throw new Error('It was not opened.');
    const lines = opened.stdout.setEncoding('utf8')[Symbol.asyncIterator]();
    opened.stdin.write(`http://own.test:${port}/\n`);
    expect((await lines.next()).value).toBe('200 for the server\n');
    opened.stdin.write('http://other.test/\n');
    expect((await lines.next()).value).toContain('403 Sayso: other.test:80');
    await opened.end();
    expect(await opened.ended).not.toMatchObject({ type: 'not-started' });
    await until(() => open === 0, 'its connections are closed');
  });
});

describe.runIf(confinable)('the end of a command with a list of hosts', () => {
  /** A download that never ends, and how many of it are open. */
  async function endless(): Promise<{ port: number; open: () => number }> {
    let open = 0;
    const port = await site((_, response) => {
      open += 1;
      const timer = setInterval(() => response.write('x'.repeat(10_000)), 5);
      response.on('close', () => {
        clearInterval(timer);
        open -= 1;
      });
    });
    return { port, open: () => open };
  }
  const download = (port: number, host = 'own.test'): string =>
    `python3 -c 'import urllib.request as u; r = u.urlopen("http://${host}:${port}/"); [None for _ in iter(lambda: r.read(1000), b"")]'`;

  it.each(['stop', 'time limit'] as const)('by %s ends its transfers', async (how) => {
    const { port, open } = await endless();
    const stop = new AbortController();
    const running = withHosts(download(port), {
      hosts: [`own.test:${port}`],
      signal: stop.signal,
      timeoutMs: how === 'stop' ? 60_000 : 2_500,
    });
    await until(() => open() === 1, 'it loads');
    const asked = Date.now();
    if (how === 'stop') stop.abort();
    expect((await running).end.type).toBe(how === 'stop' ? 'stopped' : 'timed-out');
    expect(Date.now() - asked).toBeLessThan(10_000);
    await until(() => open() === 0, 'the transfer is over');
  });

  it('takes with it what it left behind', async () => {
    const { port, open } = await endless();
    const script = `(setsid sh -c '${download(port).replaceAll("'", `'\\''`)}' >/dev/null 2>&1 &); while [ ! -e go ]; do sleep 0.02; done`;
    const workspace = await tempFolder();
    const running = withHosts(script, { hosts: [`own.test:${port}`], workspace });
    await until(() => open() === 1, 'it loads');
    await writeFile(join(workspace, 'go'), '');
    expect((await running).end).toEqual(DONE);
    await until(() => open() === 0, 'the transfer is over');
  });

  it('before it began is a stop', async () => {
    const stop = new AbortController();
    const workspace = await tempFolder();
    const running = withHosts('touch ran', { hosts: ['own.test:1'], workspace, signal: stop.signal });
    stop.abort();
    expect((await running).end).toEqual({ type: 'stopped' });
    expect(await readdir(workspace)).toEqual([]);
  });

  it('by kill -9 of the app leaves nothing', async () => {
    const { port, open } = await endless();
    const mark = randomUUID();
    const folder = await tempFolder();
    const app = spawn(
      process.execPath,
      [
        await bundle('run-confined.ts', await tempFolder()),
        mark,
        `: ${mark}; ${download(port, 'localhost')}`,
        String(port),
        await tempFolder(),
      ],
      { stdio: 'ignore', env: { PATH: '/usr/bin:/bin', TMPDIR: folder } },
    );
    await until(() => open() === 1, 'it loads');
    app.kill('SIGKILL');
    await until(() => open() === 0, 'the transfer is over');
    await until(async () => (await processesWith(mark)).length === 0, 'all processes are gone');
    // The pipes of the output are cleared away by the next app.
    expect((await readdir(folder)).filter((name) => !name.startsWith('sayso-output-'))).toEqual([]);
  });

  it('leaves no descriptor open in the app, whatever it left open', async () => {
    const { port, open } = await endless();
    const count = async (): Promise<number> => (await readdir('/proc/self/fd')).length;
    const network: Network = { hosts: [`own.test:${port}`], timeoutMs: 1_500 };
    const script = `${download(port)} & ${download(port)} & ${download(port)}`;
    await withHosts(script, network);
    await until(() => open() === 0, 'all is over');
    const before = await count();
    await Promise.all([withHosts(script, network), withHosts(script, network), withHosts('true', network)]);
    await until(() => open() === 0, 'all is over');
    await until(async () => (await count()) <= before, 'all is closed');
  });
});

describe.runIf(confinable)('a tier that cannot keep a list of hosts', () => {
  const script = `console.log(process.env.HTTP_PROXY);${DIRECT}`;
  const asked = async (sandbox: Sandbox) => {
    const port = await site((_, response) => response.end('hello'));
    const hosts = [`localhost:${port}`];
    return confined(['node', '-e', script, '127.0.0.1', String(port)], await options({ hosts, sandbox }));
  };

  it('has no network, and says so: unshare', async () => {
    const host = await findUnshareHost();
    if (host === null) throw new Error('There is no unshare here.');
    const { output } = await asked(createUnshareTier(randomUUID(), host));
    expect(output).toBe('undefined\nENETUNREACH\n');
    const noted = await confinedSh('echo "could not resolve host"; false', {
      ...(await options({ hosts: ['own.test:1'], sandbox: createUnshareTier(randomUUID(), host) })),
    });
    expect(noted.notes?.join()).toContain('The sandbox has no network');
  });

  it('keeps nothing: process only', async () => {
    expect((await asked(createProcessTier(randomUUID()))).output).toBe('undefined\nconnected\n');
  });
});

describe.runIf(confinable && root)('a root app in the folder of another user', () => {
  async function theirs(): Promise<string> {
    const workspace = await tempFolder();
    await chown(workspace, STRANGER, STRANGER);
    return workspace;
  }

  it('lets the command reach the hosts as that user', async () => {
    const port = await site((_, response) => response.end('hello'));
    const workspace = await theirs();
    const script = `id -u; python3 -c '${PYTHON}' http://own.test:${port}/ http://other.test/`;
    const { output } = await withHosts(script, {
      hosts: [`own.test:${port}`],
      workspace,
      environment: { PATH: '/usr/bin:/bin' },
    });
    expect(output).toMatch(new RegExp(`^${STRANGER}\n200 hello\n403 Sayso: other.test:80 `));
  });

  it('does not start it where that user may not run what it takes, and says so', async () => {
    const [closed, workspace] = [await tempFolder(), await theirs()];
    await chmod(closed, 0o700);
    const node = join(closed, 'node');
    await copyFile(process.execPath, node);
    const script = await bundle('run-confined.ts', await tempFolder());
    const { stdout } = await run(node, [script, randomUUID(), 'touch ran', '1', workspace], { cwd: '/' });
    expect(stdout).toMatch(/^sh cannot be started in the sandbox: .*node/);
    expect(await readdir(workspace)).toEqual([]);
  });
});
