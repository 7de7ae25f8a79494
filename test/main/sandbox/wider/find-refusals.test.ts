import { describe, expect, it } from 'vitest';
import { type Finished, findRefusals } from '../../../../src/main/sandbox/wider/find-refusals';

const WORKSPACE = '/ws';

/** Of a command in a sandbox that shows /usr and the workspace. */
function found(output: string, over: Partial<Finished> = {}) {
  return findRefusals({
    end: { type: 'exited', exitCode: 1 },
    output,
    argv: ['tool'],
    cwd: WORKSPACE,
    shown: (path) => (path.startsWith('/usr/') ? 'read' : path.startsWith(`${WORKSPACE}/`) ? 'write' : null),
    network: 'shut',
    ...over,
  });
}

describe('what a command was refused', () => {
  it.each([
    ["touch: cannot touch '/srv/data/x': No such file or directory", 'write', '/srv/data/x'],
    ['touch: cannot touch ‘/srv/data/x’: No such file or directory', 'write', '/srv/data/x'],
    ["mkdir: cannot create directory '/srv/data/new': Read-only file system", 'write', '/srv/data/new'],
    ['sh: 1: cannot create /srv/data/x: Directory nonexistent', 'write', '/srv/data/x'],
    ['bash: line 1: /srv/data/x: No such file or directory', 'access', '/srv/data/x'],
    ["cp: cannot create regular file '/srv/my data/x': No such file or directory", 'write', '/srv/my data/x'],
    ["OSError: [Errno 30] Read-only file system: '/srv/data/x'", 'write', '/srv/data/x'],
    ["Error: EROFS: read-only file system, open '/usr/x'", 'write', '/usr/x'],
    ["Error: ENOENT: no such file or directory, mkdir '/srv/data/x'", 'write', '/srv/data/x'],
    ["Error: ENOENT: no such file or directory, open '/srv/data/x'", 'access', '/srv/data/x'],
    ["FileNotFoundError: [Errno 2] No such file or directory: '/srv/data/x'", 'access', '/srv/data/x'],
    ['cat: /srv/data/x: No such file or directory', 'access', '/srv/data/x'],
    ['cat: ../other/x: No such file or directory', 'access', '/other/x'],
    ["sh: 1: cd: can't cd to /srv/data", 'access', '/srv/data'],
    ['make: stat: /srv/data/x: No such file or directory', 'access', '/srv/data/x'],
    ['ls: cannot access /srv/write/x: No such file or directory', 'access', '/srv/write/x'],
  ] as const)('%s', (output, kind, path) => {
    expect(found(output)).toEqual([{ kind, path }]);
  });

  it.each([
    ['curl: (6) Could not resolve host: example.org'],
    ['connect: Network is unreachable'],
    ['Error: getaddrinfo EAI_AGAIN registry.example'],
    ['socket.gaierror: [Errno -3] Temporary failure in name resolution'],
  ])('the network: %s', (output) => {
    expect(found(output)).toEqual([{ kind: 'network', host: null, port: null }]);
    expect(found(output, { network: 'open' })).toEqual([]);
  });

  it.each([
    ['what is shown', 'cat: /usr/share/nothing: No such file or directory'],
    ['what can be written', "touch: cannot touch '/ws/a/b': No such file or directory"],
    ['an address', 'fatal: https://example.org/srv/data not found'],
    ['a line that says nothing of a refusal', 'Saved to /srv/data/x.'],
    ['the root', 'ls: cannot access /: No such file or directory'],
    ['a home by its sign', "cat: '~/x': No such file or directory"],
    ['a control character', 'cat: /srv/da\u0007ta: No such file or directory'],
    ['a bidi control', "cat: '/srv/\u202egnp.x': No such file or directory"],
    ['a line separator', "cat: '/srv/a\u2028b': No such file or directory"],
    ['a very long name', `cat: '/srv/${'x'.repeat(1_100)}': No such file or directory`],
  ])('is nothing: %s', (_name, output) => {
    expect(found(output)).toEqual([]);
  });

  it.each([
    ['it succeeded', { end: { type: 'exited', exitCode: 0 } }],
    ['it was ended', { end: { type: 'signalled', signal: 'SIGKILL' } }],
    ['it was stopped', { end: { type: 'stopped' } }],
    ['its time was up', { end: { type: 'timed-out' } }],
    ['it never started', { end: { type: 'not-started', message: 'cat: /srv/x: No such file or directory' } }],
  ] as const)('is nothing where %s', (_name, over) => {
    expect(found('cat: /srv/x: No such file or directory', over)).toEqual([]);
  });

  it('is what its arguments name, to be read, where nothing is printed of it', () => {
    const argv = ['tool', '--config=/srv/a.conf', '/srv/b', 'cd /srv/c && make', '/usr/share/x', 'sub/d', '/srv/b'];
    expect(found('', { argv })).toEqual([
      { kind: 'read', path: '/srv/a.conf' },
      { kind: 'read', path: '/srv/b' },
      { kind: 'read', path: '/srv/c' },
    ]);
  });

  it('is bounded, and quick, whatever is printed', () => {
    const many = Array.from({ length: 10_000 }, (_, n) => `cat: /srv/${n}: No such file or directory`).join('\n');
    const quotes = "'/".repeat(32_768);
    const slashes = '/a'.repeat(32_768);
    const before = process.cpuUsage();
    expect(found(many.slice(0, 65_536)).length).toBeLessThanOrEqual(65);
    for (const text of [quotes, slashes, quotes.replaceAll("'", '‘')]) {
      found(`no such file or directory ${text}`);
      found(text.replaceAll('/a', '/a\nENOENT '));
      found('', { argv: ['tool', text] });
    }
    // Not by the clock, which goes on while others work; what hangs takes minutes.
    expect(process.cpuUsage(before).user / 1_000_000).toBeLessThan(5);
  });
});
