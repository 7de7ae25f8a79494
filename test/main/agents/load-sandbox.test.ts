import { AgentFile } from '@shared/agent-file';
import { describe, expect, it } from 'vitest';
import { sandboxOf } from '../../../src/main/agents/load-sandbox';
import { DEFAULT_POLICY } from '../../../src/main/sandbox/policy';

const read = (sandbox?: unknown) => AgentFile.safeParse({ name: 'a', ...(sandbox === undefined ? {} : { sandbox }) });
const resolved = (path: string): string => `/resolved/${path}`;

describe('the key sandbox', () => {
  it('means nothing beyond the workspace where it is not there', () => {
    expect(sandboxOf(AgentFile.parse({ name: 'a' }).sandbox, resolved)).toEqual({
      require: 'none',
      network: false,
      accept: [],
      policy: DEFAULT_POLICY,
    });
  });

  it('is resolved, with sizes in bytes; protected paths stay relative to the workspace', () => {
    const { sandbox } = AgentFile.parse({
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
    const agent = sandboxOf(sandbox, resolved);
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
    [{ network: ['example.com'] }, 'not supported yet'],
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
