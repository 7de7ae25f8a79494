import * as body from './bodies';
import { approval, emptyWorld, Journal, question, session, token, uuid, type World } from './world';

const BIDI =
  'Tidy \u202Eexe.gpj\u202C the changelog \u2066\u200Bquietly\u2069 and then explain at great length why nobody needs to look at it';

/** What a model that wants to deceive would write, and everything that is too long. */
export function hostile(now: number): World {
  const world = emptyWorld();
  world.info.notices = ['The database was not closed properly last time. It was checked: nothing is missing.'];
  const long = 'x'.repeat(200);
  const script = Array.from({ length: 60 }, (_, n) => `echo line ${n} && rm -rf "$HOME/${n}"`).join('⟦LF⟧');
  world.requests = [
    approval(201, now, {
      tool: 'shell',
      sessionTitle: BIDI,
      agent: 'agent-with-a-very-long-name-that-goes-on-and-on-and-on-and-on',
      command: [
        token('sh'),
        token('-c'),
        token(`ls⟦ESC⟧[2K⟦CR⟧rm -rf ~; ${script}`, ['hidden', 'terminal']),
        token(long),
        token('сurl', ['mixed-script', 'lookalike:curl']),
        token('cat אב/1.txt 2', ['rtl']),
        token(''),
      ],
      labels: [
        { id: 'deletes', text: 'Deletes files or data', severity: 'high' },
        { id: 'network', text: 'Uses the network', severity: 'medium' },
      ],
      changed: 'scripts/release.sh in the workspace is not the file that you approved: 3 lines differ.',
      remember: [{ scope: 'session', covers: 'any shell command whatever in this session', broad: true }],
    }),
    approval(202, now, {
      tool: 'delete',
      expiresAt: now + 90_000,
      command: [token('delete'), token('src/very/long/path/that/goes/on/and/on/and/never/seems/to/end/at/all/file.ts')],
      preview: { kind: 'delete', path: 'src', folder: true, files: 1234, bytes: 5_432_100 },
    }),
    question(
      203,
      now,
      { form: 'input', default: 'v1.3.0' },
      { tool: 'ask_human_input', question: `Which tag? ${'why '.repeat(120)}` },
    ),
    question(
      204,
      now,
      { form: 'confirm' },
      { tool: 'ask_human_confirm', question: 'Shall I go on with the deletion of everything?' },
    ),
    ...Array.from({ length: 14 }, (_, n) =>
      approval(210 + n, now, {
        expiresAt: now + 120_000 + n * 1000,
        command: ['npm', 'run', `task-${n}`].map((t) => token(t)),
      }),
    ),
  ];
  world.sessions = [
    session(1, now, {
      title: BIDI,
      state: 'waiting',
      openRequests: 18,
      nextExpiryAt: now + 42_000,
      detail: 'wants to run \u202Erm -rf',
      workspace: `/home/ada/${'deep/'.repeat(40)}app`,
      agent: 'agent-with-a-very-long-name-that-goes-on-and-on',
    }),
    session(2, now, { title: long, state: 'completed', detail: long }),
  ];
  const journal = new Journal(1, now - 300_000);
  journal.add(
    body.started(),
    { type: 'user_message', text: `Do it.\n\n${long}` },
    { type: 'model_retry', turn: 1, attempt: 1, reason: 'the stream broke (overloaded)' },
    body.said(
      1,
      body.text(
        `# A heading\n\nSee [the docs](https://evil.example/?q=secret) and ![pixel](https://evil.example/pixel.png) <script>alert(1)</script> <b>bold?</b>\n\n\`\`\`ts\nconst a: number = 1; // ${long}\n\`\`\`\n\n| a | b |\n|---|---|\n| 1 | ${long} |\n\n- [x] done\n- one \u202Eright to left\u202C\n\n${long}`,
      ),
      body.use('h1', 'run_command', { argv: ['ls'] }),
      body.use('h2', 'write_file', { path: 'a', content: long }),
      body.use('h3', 'shell', { command: 'ls' }),
      body.use('h4', 'nonsense', { a: 1 }),
      body.use('h5', 'run_command', { argv: ['sleep', '100'] }),
      body.use('h6', 'ask_human_confirm', { question: 'Sure?' }),
      body.use('h7', 'run_command', { argv: ['true'] }),
      body.use('h8', 'run_command', { argv: ['npm', 'test'] }),
    ),
    body.run(1, 'h1', ['ls', '--color', long]),
    body.ran(1, 'h1', 'ls', `\u001b[31mred\u001b[0m\n${long}${long}\nline\n`.repeat(12), 1_234, 2),
    {
      type: 'request_opened',
      request: approval(220, now, { callId: 'h2', tool: 'write_file', command: [token('write_file'), token('a')] }),
    },
    body.settled(uuid(220), 'h2', { outcome: 'expired', by: 'clock' }, 120_000),
    {
      type: 'tool_denied',
      turn: 1,
      callId: 'h2',
      tool: 'write_file',
      outcome: 'expired',
      reason: 'Nobody answered within 120 s. This is final: do not try again.',
    },
    {
      type: 'tool_denied',
      turn: 1,
      callId: 'h3',
      tool: 'shell',
      outcome: 'readonly',
      reason: 'Denied: shell can change state and this run is in readonly mode',
    },
    body.result(1, 'h4', 'nonsense', 'There is no tool named nonsense.', 0, true),
    body.run(1, 'h5', ['sleep', '100']),
    {
      type: 'request_opened',
      request: question(
        221,
        now,
        { form: 'confirm' },
        { sessionId: uuid(1), callId: 'h6', tool: 'ask_human_confirm', question: 'Sure?' },
      ),
    },
    body.settled(
      uuid(221),
      'h6',
      { outcome: 'approved', by: 'operator', answer: { type: 'confirm', confirmed: false, reason: 'not today' } },
      4_000,
    ),
    { type: 'notice', level: 'warning', text: 'Three turns were the same: the model was told.' },
    { type: 'run_ended', state: 'interrupted', reason: 'Sayso was closed while the run was going on.' },
    body.started({ resumed: true }),
    body.run(1, 'h8', ['npm', 'test']),
    { type: 'call_output', callId: 'h8', text: 'ok 1 - starts\nok 2 - stops\nok 3 - says so\n', bytes: 48 },
  );
  world.events = journal.events;
  return world;
}
