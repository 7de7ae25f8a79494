import type { EventOf } from '@shared/events';
import { CallId } from '@shared/ids';
import { describe, expect, it } from 'vitest';
import { previewGrant } from '../../../src/main/approvals/grant-preview';
import { rememberable } from '../../support/store';

let seq = 0;
function past(argv: readonly [string, ...string[]], program: string | null, warnings: string[] = []) {
  seq += 1;
  const body: EventOf<'call_started'> = {
    type: 'call_started',
    turn: 1,
    callId: CallId.parse(`c${seq}`),
    tool: 'run_command',
    preview: {
      kind: 'command',
      argv: [...argv],
      cwd: '/ws',
      program: program ?? '',
      environment: [],
      timeoutMs: 1,
      shell: false,
    },
    command: argv.map((text) => ({ segments: [{ text, escape: false }], warnings })),
    digest: `${seq}`.padStart(64, '0'),
    program,
    allowedBy: 'operator',
  };
  return { seq, body };
}

const GIT = '/usr/bin/git';

describe('the preview of a grant', () => {
  it('counts the past commands that it would have covered, and shows those with a risk label first', () => {
    const calls = [
      past(['git', 'status'], GIT),
      past(['git', 'push', '--force'], GIT),
      past(['rm', '-rf', 'x'], '/usr/bin/rm'),
      past(['git', 'log'], GIT),
    ];
    const preview = previewGrant(rememberable(), 'session', calls, '/ws');
    expect(preview).toMatchObject({ covered: 3, risky: 1 });
    expect(preview.examples.map((one) => one.command.map((token) => token.segments[0]?.text).join(' '))).toEqual([
      'git push --force',
      'git log',
      'git status',
    ]);
  });

  it('covers for "exact" only what has the same digest', () => {
    const same = past(['git', 'status'], GIT);
    const other = past(['git', 'status', '-s'], GIT);
    const call = rememberable({ digest: same.body.digest });
    expect(previewGrant(call, 'exact', [same, other], '/ws').covered).toBe(1);
  });

  it('never counts a command whose display carried a warning', () => {
    expect(previewGrant(rememberable(), 'session', [past(['git', 'a\u200bb'], GIT, ['hidden'])], '/ws').covered).toBe(
      0,
    );
  });
});
