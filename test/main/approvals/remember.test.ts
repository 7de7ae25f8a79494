import { describe, expect, it } from 'vitest';
import { covers, grantMatch, programIdentity, rememberOptions } from '../../../src/main/approvals/remember';
import { rememberable } from '../../support/store';

const option = (program: string | null, tool = 'run_command') =>
  rememberOptions(rememberable({ program, tool })).find(({ scope }) => scope === 'session');

describe('remembering an approval', () => {
  it.each([
    '/bin/sh',
    '/usr/bin/bash',
    '/usr/bin/env',
    '/usr/bin/python3.11',
    '/usr/local/bin/node',
    '/usr/bin/sudo',
    '/usr/bin/xargs',
    '/usr/bin/find',
    '/usr/bin/make',
    '/usr/bin/ssh',
    '/usr/bin/git',
    'C:\\node.exe',
  ])('says of %s that it comes to any command whatever, in warning colours', (program) => {
    const found = option(process.platform === 'win32' ? program : program.replace('C:\\', '/'));
    expect(found).toMatchObject({ broad: true, covers: expect.stringMatching(/any command whatever/) });
  });

  it('says of an ordinary program what it covers, without alarm', () => {
    expect(option('/usr/bin/grep')).toEqual({
      scope: 'session',
      covers: '/usr/bin/grep with any arguments, in this session',
      broad: false,
    });
  });

  it('says of the shell tool that it is any shell command whatever', () => {
    expect(option(null, 'shell')).toMatchObject({
      broad: true,
      covers: expect.stringMatching(/^Any shell command whatever/),
    });
  });

  it('covers a program of the workspace only for as long as its file stays as it was', () => {
    const before = rememberable({ program: programIdentity('/ws/deploy.sh', 'a'.repeat(64)) });
    const match = grantMatch(before, 'session');
    expect(covers(match, { ...before, digest: 'e'.repeat(64) })).toBe(true);
    expect(covers(match, { ...before, program: programIdentity('/ws/deploy.sh', 'b'.repeat(64)) })).toBe(false);
    expect(covers(match, { ...before, program: '/ws/deploy.sh' })).toBe(false);
    expect(rememberOptions(before)[1]?.covers).toBe(
      '/ws/deploy.sh with any arguments, as its file is now, in this session',
    );
  });

  it('never lets a grant for one tool, program or agent cover another', () => {
    const git = rememberable();
    for (const scope of ['session', 'agent'] as const) {
      const match = grantMatch(git, scope);
      expect(covers(match, git)).toBe(true);
      expect(covers(match, { ...git, program: '/usr/bin/rm' })).toBe(false);
      expect(covers(match, { ...git, tool: 'shell', program: null })).toBe(false);
    }
    expect(covers(grantMatch(git, 'agent'), { ...git, agentId: 'other' })).toBe(false);
    expect(covers(grantMatch(git, 'exact'), { ...git, digest: 'f'.repeat(64) })).toBe(false);
  });
});
