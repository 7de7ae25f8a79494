import { AgentFile } from '@shared/agent-file';
import { describe, expect, it } from 'vitest';
import { sandboxOf, unreachableHosts } from '../../../src/main/agents/load-sandbox';
import { DEFAULT_POLICY } from '../../../src/main/sandbox/policy';

const read = (sandbox?: unknown) => AgentFile.safeParse({ name: 'a', ...(sandbox === undefined ? {} : { sandbox }) });
const resolved = (path: string): string => `/resolved/${path}`;

describe('the key sandbox', () => {
  it('means nothing beyond the workspace where it is not there', () => {
    expect(sandboxOf(AgentFile.parse({ name: 'a' }), resolved)).toEqual({
      require: 'none',
      network: false,
      accept: [],
      policy: DEFAULT_POLICY,
    });
  });

  it('is resolved, with sizes in bytes; protected paths stay relative to the workspace', () => {
    const file = AgentFile.parse({
      name: 'a',
      sandbox: {
        require: 'confined',
        network: true,
        read: ['x'],
        write: ['~/y'],
        protect: ['deploy', '~/z'],
        accept: ['unshare'],
        limits: { memoryMb: 512 },
      },
    });
    const agent = sandboxOf(file, resolved);
    expect(agent).toMatchObject({ require: 'confined', network: true, accept: ['unshare'] });
    expect(agent.policy).toEqual({
      network: true,
      read: ['/resolved/x'],
      write: ['/resolved/~/y'],
      protect: ['deploy', '/resolved/~/z'],
      limits: { ...DEFAULT_POLICY.limits, memoryBytes: 512 * 1024 ** 2 },
    });
  });

  it.each([
    [{ network: 'on' }, 'true, false or a list'],
    [{ network: { hosts: [] } }, 'true, false or a list'],
    [{ network: [80] }, 'true, false or a list'],
    [{ require: 'strong' }, ''],
    [{ accept: ['docker'] }, ''],
    [{ protect: ['../x'] }, 'go up'],
    [{ limits: { processes: 0 } }, ''],
    [{ allow: true }, ''],
  ])('refuses %j', (sandbox, words) => {
    const result = read(sandbox);
    expect(result.success).toBe(false);
    expect(result.error?.issues.map(({ message }) => message).join()).toContain(words);
  });
});

describe('a list of hosts', () => {
  it.each([
    ['example.com', 'example.com', null],
    ['example.com:8443', 'example.com', 8443],
    ['*.example.com', '*.example.com', null],
    ['*.example.co.uk:22', '*.example.co.uk', 22],
    ['_dmarc.example.com', '_dmarc.example.com', null],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example', null],
    ['1.1.1.1', '1.1.1.1', null],
    ['[2606:4700::1111]:443', '[2606:4700::1111]', 443],
  ])('takes %s', (text, host, port) => {
    const agent = sandboxOf(AgentFile.parse({ name: 'a', sandbox: { network: [text] } }), resolved);
    expect(agent.network).toBe(false);
    expect(agent.policy.network).toEqual({ hosts: [{ host, port }], privateHosts: [] });
  });

  it.each([
    ['', 'no scheme'],
    [' ', 'no scheme'],
    ['*', 'write *.NAME'],
    ['*:443', 'write *.NAME'],
    ['*.', 'write *.NAME'],
    ['*.com', 'write *.NAME'],
    ['*com', 'write *.NAME'],
    ['**.example.com', 'write *.NAME'],
    ['*.*.example.com', 'NAME'],
    ['a.*.example.com', 'no scheme'],
    ['*.1.2.3.4', 'below an address'],
    ['*.[::1]', 'no scheme'],
    ['*.1.2', 'write it as'],
    ['https://example.com', 'no scheme'],
    ['example.com/path', 'no path'],
    ['example.com?x', 'no path'],
    ['user@example.com', 'no scheme'],
    ['10.0.0.0/8', 'no range'],
    ['example.com:', 'no scheme'],
    ['example.com:0', 'no number from 1 to 65535'],
    ['example.com:080', 'no number from 1 to 65535'],
    ['example.com:65536', 'no number from 1 to 65535'],
    ['example.com:80-90', 'no scheme'],
    ['example.com:*', 'no scheme'],
    ['example.com.', 'no scheme'],
    ['Example.com', 'write it as "example.com"'],
    ['bücher.example', 'no scheme'],
    ['0x7f.1', 'write it as "127.0.0.1"'],
    ['2130706433', 'write it as "127.0.0.1"'],
    ['::1', 'no scheme'],
    ['[::0001]', 'write it as "[::1]"'],
    ['example.com\n', 'no scheme'],
    ['a\u0000b.example', 'no scheme'],
  ])('refuses %j', (text, words) => {
    const result = read({ network: ['first.example.com', text] });
    expect(result.error?.issues).toMatchObject([{ path: ['sandbox', 'network', 1] }]);
    expect(result.error?.issues[0]?.message).toContain(words);
  });

  it('is none at all where it is empty, and refused where nobody would read it to its end', () => {
    expect(AgentFile.parse({ name: 'a', sandbox: { network: [] } }).sandbox.network).toBe(false);
    const many = Array.from({ length: 51 }, (_, index) => `h${index}.example.com`);
    expect(read({ network: many }).error?.issues.map(({ message }) => message)).toEqual(['more than 50 hosts']);
  });

  it('brings along which of its hosts may lie in a private network', () => {
    const file = AgentFile.parse({
      name: 'a',
      private_hosts: ['localhost:3000'],
      sandbox: { network: ['localhost:3000'] },
    });
    const own = [{ host: 'localhost', port: 3000 }];
    expect(sandboxOf(file, resolved).policy.network).toEqual({ hosts: own, privateHosts: own });
    expect(unreachableHosts(file)).toEqual([]);
  });

  it.each([
    ['localhost', 'not a name of the public internet'],
    ['printer.local', 'not a name of the public internet'],
    ['127.0.0.1:8080', 'is an address of this machine'],
    ['192.168.1.1', 'is a private address'],
    ['169.254.169.254', 'credentials'],
    ['[::1]', 'is an address of this machine'],
    ['[::ffff:7f00:1]', 'stands for an IPv4 one'],
  ])('with %s in it is said to be wrong, unless private_hosts has that too', (host, words) => {
    const file = { name: 'a', sandbox: { network: ['example.com', '*.lan.example', host] } };
    expect(unreachableHosts(AgentFile.parse(file))).toEqual([{ index: 2, message: expect.stringContaining(words) }]);
    expect(unreachableHosts(AgentFile.parse({ ...file, private_hosts: [host] }))).toEqual([]);
  });
});
