import * as body from './bodies';
import { approval, emptyWorld, Journal, MINUTE, question, session, token, uuid, type World } from './world';

const DIFF = `@@ -4,6 +4,11 @@
 # Changelog
 
-## Unreleased
+## 1.3.0
+- \`parcel ls --json\` prints one object a line
+- Retries stop after five tries
+- An empty depot no longer fails \`depot ls\`
`;

const filePreview = {
  kind: 'file',
  path: 'CHANGELOG.md',
  created: false,
  added: 4,
  removed: 1,
  diff: DIFF,
  omittedLines: 0,
  bytesAfter: 2_310,
};

/** An ordinary afternoon: two runs wait, two work, and there is a past. */
export function busy(now: number): World {
  const world = emptyWorld();
  world.requests = [
    approval(101, now, {
      command: [token('git'), token('push'), token('--force'), token('origin'), token('HEAD:ma⟦U+200B⟧in', ['hidden'])],
      labels: [{ id: 'history', text: 'Rewrites or discards version history', severity: 'high' }],
      gatedBy: { because: 'tag', tag: 'impact:rw' },
      callId: 'c7',
    }),
    approval(102, now, {
      tool: 'write_file',
      agent: 'deps',
      sessionId: uuid(3),
      sessionTitle: 'Bump dependencies',
      expiresAt: now + 115_000,
      createdAt: now - 5_000,
      command: [token('write_file'), token('package.json')],
      preview: { ...filePreview, path: 'package.json' },
    }),
    question(103, now, { form: 'select', options: ['eu-west-1', 'us-east-1', 'ap-south-1'] }, {}),
  ];
  world.sessions = sessions(now);
  world.events = [...changelog(now, world).events];
  world.grants = [
    {
      id: uuid(501) as World['grants'][number]['id'],
      sessionId: uuid(1) as World['grants'][number]['sessionId'],
      match: { scope: 'session', tool: 'run_command', program: '/usr/bin/git' },
      covers: 'any git command in this session, whatever its arguments',
      createdAt: now - MINUTE,
      expiresAt: null,
      uses: 3,
      revokedAt: null,
    },
  ];
  return world;
}

function sessions(now: number) {
  const day = 24 * 60 * MINUTE;
  return [
    session(1, now, {
      title: 'Tidy the changelog',
      state: 'waiting',
      detail: 'wants to run git push',
      turns: 12,
      openRequests: 1,
      nextExpiryAt: now + 42_000,
    }),
    session(2, now, {
      title: 'Rotate staging keys',
      agent: 'ops',
      state: 'waiting',
      detail: 'asks you to choose a region',
      openRequests: 1,
      nextExpiryAt: now + 118_000,
    }),
    session(3, now, { title: 'Bump dependencies', agent: 'deps', state: 'acting', detail: 'npm test · 212 lines' }),
    session(4, now, {
      title: 'Explain flaky login test',
      agent: 'reader',
      state: 'thinking',
      detail: 'reading auth.spec.ts',
    }),
    session(5, now, { title: 'Triage issue 412', agent: 'triage', costUsd: 0.12 }),
    session(6, now, {
      title: 'Nightly report',
      agent: 'reports',
      state: 'failed',
      detail: 'the key was refused (401)',
    }),
    session(7, now, {
      title: 'Clean build folders',
      agent: 'janitor',
      state: 'stopped',
      detail: 'expired: nobody answered',
    }),
    session(8, now, { title: 'Draft release notes 1.3', turns: 14, updatedAt: now - day, costUsd: 0.4 }),
    session(9, now, {
      title: 'Rename parcel states',
      agent: 'refactor',
      turns: 31,
      updatedAt: now - day,
      costUsd: 1.18,
    }),
    session(10, now, {
      title: 'Move to pnpm',
      state: 'interrupted',
      detail: 'Sayso was closed',
      updatedAt: now - 9 * day,
    }),
    session(11, now, {
      title: 'Audit licences',
      state: 'budget',
      detail: 'maxTurns reached',
      updatedAt: now - 40 * day,
      costUsd: null,
    }),
  ];
}

function changelog(now: number, world: World): Journal {
  const journal = new Journal(1, now - 4 * MINUTE);
  const edit = approval(90, now, {
    tool: 'edit_file',
    callId: 'c4',
    preview: filePreview,
    command: [token('edit_file'), token('CHANGELOG.md')],
  });
  const commit = approval(91, now, {
    callId: 'c5',
    command: ['git', 'commit', '-am', 'Release notes'].map((t) => token(t)),
  });
  const again = approval(92, now, {
    callId: 'c6',
    command: ['git', 'commit', '-s', '-am', 'Bring the changelog in step'].map((t) => token(t)),
  });
  return journal.add(
    body.started(),
    {
      type: 'user_message',
      text: 'Bring CHANGELOG.md in step with the history since 1.2.0, commit it, and push it to my fork.',
    },
    { type: 'model_started', turn: 1, attempt: 1 },
    body.said(
      1,
      {
        type: 'thinking',
        text: 'The history since the tag is what I need to read first, then the file itself.',
        signature: 's',
      },
      body.text("I'll read the history first, then compare it with the changelog."),
      body.use('c1', 'list_dir', { path: '.' }),
      body.use('c2', 'run_command', { argv: ['git', 'log', '--oneline', 'v1.2.0..HEAD'] }),
      body.use('c3', 'read_file', { path: 'CHANGELOG.md' }),
    ),
    body.calls(1, 'c1', 'list_dir', { path: '.' }),
    body.result(1, 'c1', 'list_dir', 'CHANGELOG.md\nREADME.md\nsrc/', 4),
    body.run(1, 'c2', ['git', 'log', '--oneline', 'v1.2.0..HEAD'], 'grant'),
    body.ran(1, 'c2', 'git log', '8f2c1aa Stop after five tries\n77aa012 Print one object a line\n', 80),
    body.calls(1, 'c3', 'read_file', { path: 'CHANGELOG.md' }),
    body.result(1, 'c3', 'read_file', '# Changelog\n', 2),
    body.said(
      2,
      body.text(
        "Three changes are missing: the `--json` flag, the new retry limit, and the fix for empty depots. I'll add them under 1.3.0.",
      ),
      body.use('c4', 'edit_file', { path: 'CHANGELOG.md', oldString: '## Unreleased', newString: '## 1.3.0' }),
    ),
    { type: 'request_opened', request: edit },
    body.settled(
      edit.id,
      'c4',
      { outcome: 'approved', by: 'operator', answer: { type: 'approve', remember: null } },
      3_000,
    ),
    {
      type: 'call_started',
      turn: 2,
      callId: 'c4',
      tool: 'edit_file',
      preview: filePreview,
      command: [token('edit_file'), token('CHANGELOG.md')],
      allowedBy: 'operator',
      digest: 'c'.repeat(64),
      program: null,
    },
    body.result(2, 'c4', 'edit_file', 'Changed 1 place.', 6),
    body.said(3, body.use('c5', 'run_command', { argv: ['git', 'commit', '-am', 'Release notes'] })),
    { type: 'request_opened', request: commit },
    body.settled(
      commit.id,
      'c5',
      { outcome: 'declined', by: 'operator', answer: { type: 'decline', reason: 'sign it off' } },
      8_000,
    ),
    {
      type: 'tool_denied',
      turn: 3,
      callId: 'c5',
      tool: 'run_command',
      outcome: 'declined',
      reason: 'Denied: the operator declined run_command. Their words: sign it off',
    },
    body.said(
      4,
      body.use('c6', 'run_command', { argv: ['git', 'commit', '-s', '-am', 'Bring the changelog in step'] }),
    ),
    { type: 'request_opened', request: again },
    body.settled(
      again.id,
      'c6',
      { outcome: 'approved', by: 'operator', answer: { type: 'approve', remember: 'session' } },
      2_000,
    ),
    body.run(4, 'c6', ['git', 'commit', '-s', '-am', 'Bring the changelog in step'], 'operator'),
    body.ran(
      4,
      'c6',
      'git commit',
      '[main 8f2c1aa] Bring the changelog in step\n 1 file changed, 4 insertions(+), 1 deletion(-)\n',
      41,
    ),
    body.said(5, body.use('c7', 'run_command', { argv: ['git', 'push', '--force', 'origin', 'HEAD:main'] })),
    { type: 'request_opened', request: world.requests[0] },
  );
}
