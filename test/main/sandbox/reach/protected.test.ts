import { describe, expect, it } from 'vitest';
import {
  type Guard,
  isEnvironmentVariant,
  loosely,
  protectedAt,
  protectedIn,
  protectedPaths,
} from '../../../../src/main/sandbox/reach/protected';
import type { Repository } from '../../../../src/main/sandbox/reach/repositories';

const repository = (root: string, more: Partial<Repository> = {}): Repository => ({
  root,
  folders: [`${root}/.git`],
  trees: [],
  tops: new Map(),
  entries: [],
  links: [],
  unread: null,
  versions: new Map(),
  ...more,
});

const guard = (more: readonly string[] = [], ...repositories: readonly Repository[]): Guard => ({
  workspace: '/ws',
  paths: protectedPaths('/ws', repositories.length > 0 ? repositories : [repository('/ws')], more),
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
    expect(protectedAt(`/ws/${path}`, guard(['deploy']))).not.toBeNull();
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

  it('is what decides of a repository: in its git folders, in those of its other working trees, and what stands for them', () => {
    const own = repository('/ws', {
      folders: ['/ws/repo'],
      trees: ['/ws/repo/worktrees/a'],
      entries: ['/ws/.git'],
      unread: '/ws/repo/index',
    });
    const found = (path: string) => protectedAt(path, guard([], own, repository('/ws/sub')));
    expect(found('/ws/.git/HEAD')).toBe('/ws/.git');
    expect(found('/ws/repo/hooks/x')).toBe('/ws/repo/hooks');
    expect(found('/ws/repo/worktrees/a/commondir')).toBe('/ws/repo/worktrees/a/commondir');
    expect(found('/ws/repo/worktrees/a/config.worktree')).not.toBeNull();
    expect(found('/ws/repo/index')).not.toBeNull();
    expect(found('/ws/sub/.git/config')).toBe('/ws/sub/.git/config');
    const free = [
      '/ws/repo/HEAD',
      '/ws/repo/worktrees/a/index',
      '/ws/repo/worktrees/b/commondir',
      '/ws/sub/.git/index',
    ];
    expect(free.filter((path) => found(path) !== null)).toEqual([]);
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
    const found = protectedAt(`/ws/${path}`, guard(['secret']), loosely);
    expect(found).toBe(expected === null ? null : `/ws/${expected}`);
  });

  it('is named as it is on the disk', () => {
    const own: Guard = { workspace: '/WS/X', paths: protectedPaths('/WS/X', [repository('/WS/X')], []) };
    expect(protectedAt('/WS/X/.Env.Local', own, loosely)).toBe('/WS/X/.env.local');
    expect(protectedAt('/WS/X/.Git/Config', own, loosely)).toBe('/WS/X/.git/config');
  });

  it('tells of a folder what would go with it', () => {
    expect(protectedIn('/ws/.git', guard())).toContain('/ws/.git/hooks');
    expect(protectedIn('/ws/a', guard(['a/b/c']))).toEqual(['/ws/a/b/c']);
    expect(protectedIn('/ws/a/b/c', guard(['a/b/c']))).toEqual([]);
    expect(protectedIn('/ws/A', guard(['a/b/c']), loosely)).toEqual(['/ws/a/b/c']);
    expect(protectedIn('/ws/ab', guard(['a/b/c']))).toEqual([]);
    expect(protectedIn('/', guard())).toContain('/ws/.env');
  });

  it('takes variants for what they are', () => {
    expect(['.env', '.env.', 'x.env.local', '.env.a'].map(isEnvironmentVariant)).toEqual([false, false, false, true]);
  });
});
