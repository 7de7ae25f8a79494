import { describe, expect, it } from 'vitest';
import {
  type GitFolder,
  type Guard,
  isEnvironmentVariant,
  loosely,
  protectedAt,
  protectedIn,
  protectedPaths,
} from '../../../../src/main/sandbox/reach/protected';

const guard = (git: GitFolder = { kind: 'folder' }, more: readonly string[] = []): Guard => ({
  workspace: '/ws',
  paths: protectedPaths('/ws', git, more),
});

describe('protected by name', () => {
  it.each([
    '.git/hooks',
    '.git/hooks/pre-commit',
    '.git/config',
    '.git/config.worktree',
    '.git/commondir',
    '.git/modules/a/config',
    '.env',
    '.env.local',
    '.env.production.local',
    '.env.d/a',
    '.envrc',
    '.vscode/tasks.json',
    '.idea',
    '.mcp.json',
    'deploy/key',
  ])('is %s', (path) => {
    expect(protectedAt(`/ws/${path}`, guard({ kind: 'folder' }, ['deploy']))).not.toBeNull();
  });

  it.each([
    '',
    'a',
    '.git',
    '.git/HEAD',
    '.git/hooks-of-mine',
    '.git/config.lock',
    '.environment',
    '.env.example',
    '.env.local.example',
    '.env.sample',
    '.env.local.refused-by-sayso',
    '.env.local.refused-by-sayso-2',
    'sub/.git/config',
    'sub/.env',
    'vscode',
    '.GIT/config',
    '.ENV',
  ])('is not %s', (path) => {
    expect(protectedAt(`/ws/${path}`, guard())).toBeNull();
  });

  it('is all of .git where it is missing, and where it is a file that may name any other', () => {
    expect(protectedAt('/ws/.git/HEAD', guard({ kind: 'missing' }))).toBe('/ws/.git');
    expect(protectedAt('/ws/.git', guard({ kind: 'file', leadsTo: null }))).toBe('/ws/.git');
    expect(protectedAt('/ws/repo/hooks/x', guard({ kind: 'file', leadsTo: '/ws/repo' }))).toBe('/ws/repo/hooks');
    expect(protectedAt('/ws/repo/HEAD', guard({ kind: 'file', leadsTo: '/ws/repo' }))).toBeNull();
  });

  it.each([
    ['.GIT/config', '.git/config'],
    ['.Git/Hooks/x', '.git/hooks'],
    ['.ENV.Local', '.env.local'],
    ['.env.', '.env'],
    ['.env ', '.env'],
    ['.g\u200cit/config', '.git/config'],
    ['.\uff47\uff49\uff54/config', '.git/config'],
    ['git~1/config', '.git/config'],
    ['.vscode. .', '.vscode'],
    ['.git\uff0fconfig', null],
    ['\u017fecret/x', 'secret'],
  ])('is %j where the file system may take it for %j', (path, expected) => {
    const found = protectedAt(`/ws/${path}`, guard({ kind: 'folder' }, ['secret']), loosely);
    expect(found).toBe(expected === null ? null : `/ws/${expected}`);
  });

  it('is named as it is on the disk', () => {
    const own: Guard = { workspace: '/WS/X', paths: protectedPaths('/WS/X', { kind: 'folder' }, []) };
    expect(protectedAt('/WS/X/.Env.Local', own, loosely)).toBe('/WS/X/.env.local');
    expect(protectedAt('/WS/X/.Git/Config', own, loosely)).toBe('/WS/X/.git/config');
  });

  it('tells of a folder what would go with it', () => {
    expect(protectedIn('/ws/.git', guard())).toContain('/ws/.git/hooks');
    expect(protectedIn('/ws/a', guard({ kind: 'folder' }, ['a/b/c']))).toEqual(['/ws/a/b/c']);
    expect(protectedIn('/ws/a/b/c', guard({ kind: 'folder' }, ['a/b/c']))).toEqual([]);
    expect(protectedIn('/ws/A', guard({ kind: 'folder' }, ['a/b/c']), loosely)).toEqual(['/ws/a/b/c']);
    expect(protectedIn('/ws/ab', guard({ kind: 'folder' }, ['a/b/c']))).toEqual([]);
    expect(protectedIn('/', guard())).toContain('/ws/.env');
  });

  it('takes variants for what they are', () => {
    expect(['.env', '.env.', 'x.env.local', '.env.a'].map(isEnvironmentVariant)).toEqual([false, false, false, true]);
  });
});
