import { execFileSync } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { displayToken } from '../../src/main/approvals/display/display-token';
import { confinable, confinedSh } from '../main/sandbox/confined';
import { tempFolder } from '../main/sandbox/helpers';

async function repository(): Promise<string> {
  const workspace = await tempFolder();
  const script =
    'git init -q .; git -c user.name=a -c user.email=a@b.invalid commit -q --allow-empty -m a; git worktree add -q inside';
  execFileSync('sh', ['-c', script], { cwd: workspace, stdio: 'pipe' });
  return workspace;
}

describe.runIf(confinable)('what is no plain file where git has one', () => {
  // Whoever opened one of these as a file would wait for ever, or read what lies elsewhere.
  it.each([
    ['a pipe for the index', 'rm -f .git/index; mkfifo .git/index', '.git/index'],
    ['a link for the index', 'rm -f .git/index; ln -s /etc/passwd .git/index', '.git/index'],
    ['a loop of links for the index', 'rm -f .git/index; ln -s index .git/index', '.git/index'],
    ['a pipe for the git folder of a repository', 'mkdir sub; mkfifo sub/.git', null],
    ['a pipe that a new working tree names', 'mkdir -p .git/worktrees/new; mkfifo .git/worktrees/new/gitdir', null],
  ])('keeps neither this command nor the next one waiting: %s', async (_, script, refused) => {
    const workspace = await repository();
    const { end, notes } = await confinedSh(script, { workspace });
    expect(end).toEqual({ type: 'exited', exitCode: 0 });
    if (refused !== null) {
      expect(notes?.join('\n')).toContain(`${refused} is protected`);
      expect(await lstat(join(workspace, refused)).catch(() => null)).toBeNull();
    }
    expect((await confinedSh('echo on', { workspace })).output).toBe('on\n');
  });
});

describe('a word that hides something', () => {
  it.each([
    ['a filler of Hangul', 'rm\u3164x'],
    ['a tag character', 'safe\u{e0041}'],
    ['a variation selector', 'a\ufe0f'],
    ['a soft hyphen', 'un\u00addo'],
    ['a blank of braille', 'a\u2800b'],
    ['an invisible plus', 'a\u2064b'],
    ['a lone surrogate', 'a\ud800b'],
    ['an object replacement', 'a\ufffcb'],
    ['a line separator', 'a\u2028b'],
    ['an interlinear anchor', 'a\ufff9b'],
  ])('shows it: %s', (_, word) => {
    expect(displayToken(word).segments.some((segment) => segment.escape)).toBe(true);
  });
});
