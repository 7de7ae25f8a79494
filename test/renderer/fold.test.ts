import { describe, expect, test } from 'vitest';
import type { Entry } from '../../src/renderer/timeline/entries';
import { fold, NOTHING_FOLDED } from '../../src/renderer/timeline/fold';
import { denialWords } from '../../src/renderer/timeline/phase';
import type { JournalEvent } from '../../src/shared/events';
import { Denial } from '../../src/shared/states';
import * as body from './harness/bodies';
import { approval, Journal, question, sandbox, token, uuid } from './harness/world';

const NOW = 1_800_000_000_000;
const journal = () => new Journal(1, NOW);
const folded = (events: readonly JournalEvent[]) => fold(NOTHING_FOLDED, events).entries;
const kinds = (entries: readonly Entry[]) => entries.map((entry) => entry.kind);
const delta = (turn: number, text: string, kind = 'text', attempt = 1) => ({
  type: 'model_delta',
  turn,
  attempt,
  kind,
  text,
});

describe('what the model says', () => {
  test('streams into one entry, and the whole message then takes its place under the same key', () => {
    const events = journal().add(
      { type: 'model_started', turn: 1, attempt: 1 },
      delta(1, 'I will '),
      delta(1, 'read.'),
    ).events;
    expect(kinds(folded(events.slice(0, 1)))).toEqual(['asking']);
    const live = folded(events);
    expect(live).toMatchObject([{ kind: 'agent', text: 'I will read.', live: true }]);
    const next = new Journal(1, NOW);
    next.add({ type: 'notice', level: 'info', text: '' }, { type: 'notice', level: 'info', text: '' });
    next.add({ type: 'notice', level: 'info', text: '' }, body.said(1, body.text('I will read.')));
    const after = fold(fold(NOTHING_FOLDED, events), next.events.slice(3));
    expect(after.entries).toMatchObject([{ kind: 'agent', text: 'I will read.', live: false, key: live[0]?.key }]);
  });

  test('thinking and text that stream in turn become the same entries as in the message', () => {
    const streamed = journal().add(delta(1, 'Hm', 'thinking'), delta(1, 'm.', 'thinking'), delta(1, 'Yes.'));
    expect(folded(streamed.events)).toMatchObject([
      { kind: 'thinking', text: 'Hmm.' },
      { kind: 'agent', text: 'Yes.' },
    ]);
    const keys = folded(streamed.events).map((entry) => entry.key);
    streamed.add(body.said(1, { type: 'thinking', text: 'Hmm.', signature: 's' }, body.text('Yes.')));
    expect(folded(streamed.events).map((entry) => entry.key)).toEqual(keys);
  });

  test('a summary of older turns is asked for, comes, and marks its place; what a refused attempt had streamed is gone', () => {
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: null };
    const events = journal().add(
      { type: 'model_started', turn: 2, attempt: 1 },
      { type: 'model_retry', turn: 2, attempt: 1, reason: 'overloaded' },
      delta(2, 'Half', 'text', 2),
      { type: 'compacting', turn: 2 },
      { type: 'compacted', summary: 'So far.', replaced: 9, kept: 6, usage },
      { type: 'model_started', turn: 2, attempt: 1 },
      delta(2, 'Whole.'),
    ).events;
    expect(folded(events.slice(0, 4))).toMatchObject([{ kind: 'retry' }, { kind: 'asking', wanted: 'summary' }]);
    expect(folded(events)).toMatchObject([
      { kind: 'retry' },
      { kind: 'compacted', summary: 'So far.', replaced: 9, kept: 6 },
      { kind: 'agent', text: 'Whole.', live: true },
    ]);
  });

  test('a summary that does not come leaves its notice, and the model is asked', () => {
    const events = journal().add(
      { type: 'compacting', turn: 2 },
      { type: 'notice', level: 'warning', text: 'no summary' },
      { type: 'model_started', turn: 2, attempt: 1 },
    ).events;
    expect(folded(events)).toMatchObject([{ kind: 'notice' }, { kind: 'asking', wanted: 'reply' }]);
    expect(new Set(folded(events.slice(0, 2)).map(({ key }) => key)).size).toBe(2);
  });

  test('a retry takes back what its attempt had streamed, also what comes late, and nothing is shown twice', () => {
    const events = journal().add(
      { type: 'model_started', turn: 1, attempt: 1 },
      delta(1, 'Half a sen'),
      { type: 'model_retry', turn: 1, attempt: 1, reason: 'the stream broke' },
      delta(1, 'tence', 'text', 1),
      { type: 'model_started', turn: 1, attempt: 2 },
      delta(1, 'A sentence.', 'text', 2),
    ).events;
    expect(folded(events)).toMatchObject([
      { kind: 'retry', reason: 'the stream broke' },
      { kind: 'agent', text: 'A sentence.' },
    ]);
  });

  test('the next turn starts an entry of its own', () => {
    const events = journal().add(body.said(1, body.text('One.')), delta(2, 'Two.')).events;
    expect(folded(events)).toMatchObject([
      { text: 'One.', live: false },
      { text: 'Two.', live: true },
    ]);
  });

  test('an answer that was cut off says so', () => {
    const message = { ...body.said(1, body.text('And then')), stopReason: 'max_tokens' };
    expect(folded(journal().add(message).events)).toMatchObject([{ kind: 'agent', stop: 'max_tokens' }]);
  });

  test('a message said while text streams stays below it', () => {
    const events = journal().add(delta(1, 'Wor'), { type: 'user_message', text: 'Wait' }, delta(1, 'king.'));
    expect(folded(events.events)).toMatchObject([
      { kind: 'agent', text: 'Working.' },
      { kind: 'user', text: 'Wait' },
    ]);
  });
});

const use = (id = 'c1') => body.said(1, body.use(id, 'run_command', { argv: ['ls'] }));
const request = approval(7, NOW, { callId: 'c1', command: [token('ls')] });
const opened = { type: 'request_opened', request };
const settled = (settlement: Record<string, unknown>) => body.settled(request.id, 'c1', settlement, 3_000);

describe('a call', () => {
  const cases: readonly [string, readonly Record<string, unknown>[], Record<string, unknown>][] = [
    ['that the gate has not come to', [use()], { phase: { is: 'queued' }, allowed: null }],
    ['that waits', [use(), opened], { phase: { is: 'waiting', requestId: request.id } }],
    [
      'that was approved',
      [use(), opened, settled({ outcome: 'approved', by: 'operator' })],
      { phase: { is: 'queued' }, allowed: { by: 'operator', afterMs: 3_000 } },
    ],
    [
      'that a grant released while it waited',
      [use(), opened, settled({ outcome: 'approved', by: 'grant' })],
      { allowed: { by: 'grant' } },
    ],
    ['that runs', [use(), body.run(1, 'c1', ['ls'])], { phase: { is: 'running' }, allowed: { by: 'ungated' } }],
    [
      'that runs by a grant',
      [use(), body.run(1, 'c1', ['ls'], 'grant'), { type: 'grant_used', grantId: uuid(5), callId: 'c1' }],
      { allowed: { by: 'grant' } },
    ],
    [
      'that prints',
      [
        use(),
        body.run(1, 'c1', ['ls']),
        { type: 'call_output', callId: 'c1', text: 'a\n', bytes: 2 },
        { type: 'call_output', callId: 'c1', text: 'b\n', bytes: 4 },
      ],
      { output: 'a\nb\n', outputBytes: 4 },
    ],
    [
      'that worked',
      [use(), body.run(1, 'c1', ['ls']), body.ran(1, 'c1', 'ls', 'a', 12)],
      { phase: { is: 'ok' }, durationMs: 12 },
    ],
    [
      'that failed',
      [use(), body.run(1, 'c1', ['ls']), body.result(1, 'c1', 'run_command', 'not found', 1, true)],
      { phase: { is: 'error' } },
    ],
    [
      'with wrong arguments',
      [use(), body.result(1, 'c1', 'run_command', 'argv: required', 0, true)],
      { phase: { is: 'invalid' } },
    ],
    [
      'that was declined, and whose result says so to the model',
      [
        use(),
        opened,
        settled({ outcome: 'declined', by: 'operator', answer: { type: 'decline', reason: 'not now' } }),
        { type: 'tool_denied', turn: 1, callId: 'c1', tool: 'run_command', outcome: 'declined', reason: 'Denied' },
        body.result(1, 'c1', 'run_command', { allowed: false }, 0),
      ],
      { phase: { is: 'denied', outcome: 'declined', words: 'not now', told: 'Denied' } },
    ],
    [
      'that nobody answered for',
      [use(), opened, settled({ outcome: 'expired', by: 'clock', reason: 'nobody answered' })],
      { phase: { is: 'denied', outcome: 'expired', words: '' } },
    ],
    [
      'whose beginning is not loaded',
      [body.ran(1, 'c1', 'ls', 'a', 12)],
      { tool: 'run_command', inputText: null, phase: { is: 'ok' } },
    ],
    [
      'that ran when the run ended',
      [use(), body.run(1, 'c1', ['ls']), { type: 'run_ended', state: 'interrupted', reason: '' }],
      { phase: { is: 'lost' } },
    ],
    [
      'that waited when the run ended',
      [use(), opened, { type: 'run_ended', state: 'interrupted', reason: '' }],
      { phase: { is: 'denied', outcome: 'interrupted' } },
    ],
    [
      'that had not started when the run ended',
      [use(), { type: 'run_ended', state: 'stopped', reason: '' }],
      { phase: { is: 'unstarted' } },
    ],
  ];
  test.each(cases)('%s', (_name, bodies, expected) => {
    const calls = folded(journal().add(...bodies).events).filter((entry) => entry.kind === 'call');
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ callId: 'c1', ...expected });
  });

  test('that a resumed run takes up again is one entry still, and stands where it happens now', () => {
    const first = journal().add(use(), body.run(1, 'c1', ['ls']), {
      type: 'run_ended',
      state: 'interrupted',
      reason: '',
    });
    const resumed = new Journal(1, NOW + 60_000).add(body.started({ resumed: true }), body.run(1, 'c1', ['ls'])).events;
    const shifted = resumed.map((event, n) => ({
      ...event,
      seq: 2_000_000 + n,
      runId: uuid(77) as JournalEvent['runId'],
    }));
    const entries = folded([...first.events, ...shifted]);
    expect(kinds(entries)).toEqual(['run-end', 'run-start', 'call']);
    expect(entries.at(-1)).toMatchObject({ phase: { is: 'running' } });
  });
});

describe('a question', () => {
  const asked = question(8, NOW, { form: 'confirm' }, { callId: 'q1', tool: 'ask_human_confirm', sessionId: uuid(1) });
  const bodies = [
    body.said(1, body.use('q1', 'ask_human_confirm', { question: 'Sure?' })),
    { type: 'request_opened', request: asked },
  ];
  const answer = { outcome: 'approved', by: 'operator', answer: { type: 'confirm', confirmed: true } };

  test('takes the place of its call, and its result adds nothing beside it', () => {
    const entries = folded(
      journal().add(
        ...bodies,
        body.settled(asked.id, 'q1', answer, 900),
        body.result(1, 'q1', 'ask_human_confirm', '{}', 0),
      ).events,
    );
    expect(entries).toMatchObject([{ kind: 'question', settled: { settlement: answer, afterMs: 900 } }]);
  });

  test('of a tool that is running stands beside its call', () => {
    const entries = folded(
      journal().add(use('q1'), body.run(1, 'q1', ['ls']), { type: 'request_opened', request: asked }).events,
    );
    expect(kinds(entries)).toEqual(['call', 'question']);
  });
});

test('events that were folded already change nothing', () => {
  const { events } = journal().add(body.started(), { type: 'user_message', text: 'Go' }, use());
  const once = fold(NOTHING_FOLDED, events);
  expect(fold(once, events)).toBe(once);
});

test('entries that a batch does not touch stay the same objects', () => {
  const { events } = journal().add({ type: 'user_message', text: 'Go' }, use(), body.run(1, 'c1', ['ls']));
  const before = fold(NOTHING_FOLDED, events.slice(0, 2));
  const after = fold(before, events.slice(2));
  expect(after.entries[0]).toBe(before.entries[0]);
  expect(after.entries[1]).not.toBe(before.entries[1]);
  expect(before.entries[1]).toMatchObject({ phase: { is: 'queued' } });
});

test('folding event by event gives what folding at once gives', () => {
  const { events } = journal().add(
    body.started(),
    { type: 'user_message', text: 'Go' },
    { type: 'model_started', turn: 1, attempt: 1 },
    delta(1, 'Let me '),
    { type: 'model_retry', turn: 1, attempt: 1, reason: 'broke' },
    delta(1, 'Let me see.', 'text', 2),
    use(),
    opened,
    settled({ outcome: 'approved', by: 'operator' }),
    body.run(1, 'c1', ['ls'], 'operator'),
    { type: 'call_output', callId: 'c1', text: 'a', bytes: 1 },
    body.ran(1, 'c1', 'ls', 'a', 1),
    { type: 'run_ended', state: 'completed', reason: '' },
  );
  const stepwise = events.reduce((state, event) => fold(state, [event]), NOTHING_FOLDED);
  expect(stepwise).toEqual(fold(NOTHING_FOLDED, events));
});

test('a thousand streamed words are folded in less than a frame', () => {
  const past = journal();
  for (let turn = 1; turn <= 1_000; turn += 1) past.add(body.said(turn, body.text(`Turn ${turn}`)));
  const before = fold(NOTHING_FOLDED, past.events);
  const words = Array.from({ length: 1_000 }, () => past.next(delta(1_001, 'word ')));
  // The fastest of a few: other work on the machine may take any one of them.
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now();
    fold(before, words);
    return performance.now() - start;
  });
  expect(Math.min(...times)).toBeLessThan(40);
});

describe('a denial', () => {
  test.each(Denial.options)('%s is told apart from every other', (outcome) => {
    const others = Denial.options.filter((other) => other !== outcome).map((other) => denialWords(other, ''));
    expect(others).not.toContain(denialWords(outcome, ''));
  });

  test('only a decline is the operator’s', () => {
    const operators = Denial.options.filter((outcome) => denialWords(outcome, '').includes('by you'));
    expect(operators).toEqual(['declined']);
    expect(denialWords('expired', '')).toContain('nobody answered');
  });
});

describe('a command that the sandbox refused something', () => {
  const write = { kind: 'write', path: '/srv/data', is: 'folder', nearestTo: null };
  const asks = [write];
  const gatedBy = { because: 'wider', exitCode: 2, allows: asks };
  const content = (output: string, exit: number) =>
    JSON.stringify({ command: ['cp'], exit_code: exit, output, truncated: false });
  const refused = {
    type: 'call_refused',
    turn: 1,
    callId: 'call-1',
    tool: 'run_command',
    content: content('refused', 2),
    exitCode: 2,
    durationMs: 5,
    asks,
  };
  const asked = () => ({ type: 'request_opened', request: approval(1, NOW, { gatedBy }) });
  const settled = (settlement: Record<string, unknown>) => ({
    type: 'request_settled',
    requestId: uuid(1),
    callId: 'call-1',
    afterMs: 3_000,
    settlement,
  });
  const until = (...more: readonly Record<string, unknown>[]) =>
    folded(
      journal().add(
        body.said(1, body.use('call-1', 'run_command', { argv: ['cp', 'a', '/srv/data'] })),
        body.run(1, 'call-1', ['cp', 'a', '/srv/data']),
        { type: 'call_output', callId: 'call-1', text: 'refused', bytes: 7 },
        refused,
        asked(),
        ...more,
      ).events,
    ).filter((entry) => entry.kind === 'call');

  test('waits for the answer with its first run in it', () => {
    expect(until()).toMatchObject([
      {
        phase: { is: 'waiting' },
        output: '',
        attempts: [{ content: refused.content, exitCode: 2, allows: [], asks, answer: null }],
      },
    ]);
  });

  test('runs again in the same entry, with both runs in order and what the second one may do', () => {
    const again = { ...body.run(1, 'call-1', ['cp', 'a', '/srv/data'], 'operator'), allows: asks };
    const approved = settled({ outcome: 'approved', by: 'operator', answer: { type: 'approve', remember: null } });
    const end = body.result(1, 'call-1', 'run_command', content('done', 0), 9);
    expect(until(approved, again)).toMatchObject([{ phase: { is: 'running' }, allows: asks, starts: 2, output: '' }]);
    expect(until(approved, again, end)).toMatchObject([
      {
        phase: { is: 'ok' },
        allows: asks,
        starts: 2,
        attempts: [{ exitCode: 2, answer: { outcome: 'approved', afterMs: 3_000 } }],
        allowed: { by: 'operator', afterMs: 3_000 },
      },
    ]);
  });

  test.each([
    ['declined', { outcome: 'declined', by: 'operator', answer: { type: 'decline', reason: 'no' } }, 'no'],
    ['expired', { outcome: 'expired', by: 'clock' }, ''],
    ['stopped', { outcome: 'stopped', by: 'run' }, ''],
  ])('is one that ran, whatever was answered: %s', (outcome, settlement, words) => {
    expect(until(settled(settlement))).toMatchObject([
      { phase: { is: 'refused' }, attempts: [{ answer: { outcome, words } }] },
    ]);
    const end = body.result(1, 'call-1', 'run_command', content('refused', 2), 5);
    expect(until(settled(settlement), end)).toMatchObject([{ phase: { is: 'ok' }, starts: 1, durationMs: 5 }]);
  });

  test('is not said to have never started, or to be lost, where the app ended meanwhile', () => {
    const ended = { type: 'run_ended', state: 'interrupted', reason: 'the app ended' };
    expect(until(ended)).toMatchObject([{ phase: { is: 'refused' } }]);
    const interrupted = settled({ outcome: 'interrupted', by: 'app' });
    expect(until(interrupted, ended)).toMatchObject([
      { phase: { is: 'refused' }, attempts: [{ answer: { outcome: 'interrupted' } }] },
    ]);
    // And it is asked again.
    expect(until(interrupted, ended, asked())).toMatchObject([
      { phase: { is: 'waiting' }, attempts: [{ exitCode: 2 }] },
    ]);
  });
});

describe('what a call ran in', () => {
  const open = { ...sandbox, label: 'with network', network: 'not-enforced' } as const;
  const request = (number: number, more: Record<string, unknown> = {}) => ({
    type: 'request_opened',
    request: approval(number, NOW, { callId: 'c1', ...more }),
  });
  const call = (events: readonly JournalEvent[]) => {
    const found = folded(events).findLast((entry) => entry.kind === 'call');
    if (found?.kind !== 'call') throw new Error('no call');
    return found;
  };

  test('is what its run began with, whether it was asked about or not; the newest run counts', () => {
    const events = journal().add(
      body.started(),
      body.run(1, 'c0', ['ls'], 'grant'),
      body.started({ resumed: true, sandbox: open }),
      body.run(2, 'c1', ['ls']),
    ).events;
    expect(call(events.slice(0, 2)).ranIn?.label).toBe(sandbox.label);
    expect(call(events).ranIn?.label).toBe('with network');
  });

  test('is what its request showed, where the operator allowed it more than its run', () => {
    const wider = { ...sandbox, label: 'one more host' };
    const settled = body.settled(uuid(7), 'c1', { outcome: 'approved', by: 'operator' }, 1_000);
    const events = journal().add(body.started(), request(7, { sandbox: wider, keptBy: 'sandbox' }), settled, {
      ...body.run(1, 'c1', ['ls'], 'operator'),
      keptBy: 'sandbox',
    }).events;
    expect(call(events).ranIn?.label).toBe('one more host');
    expect(call(events).keptBy).toBe('sandbox');
  });

  test('is not what a request showed that was declined: it stays what the first run was', () => {
    const wider = { ...sandbox, label: 'one more host' };
    const events = journal().add(
      body.started(),
      body.run(1, 'c1', ['ls']),
      {
        type: 'call_refused',
        turn: 1,
        callId: 'c1',
        tool: 'run_command',
        content: '{}',
        exitCode: 1,
        durationMs: 1,
        asks: [{ kind: 'network', host: 'a.example', port: 443 }],
      },
      request(7, { sandbox: wider }),
      body.settled(uuid(7), 'c1', { outcome: 'declined', by: 'operator' }, 1_000),
    ).events;
    expect(call(events).ranIn?.label).toBe(sandbox.label);
  });

  test('is not known where its run began before what is loaded, and is then looked up', () => {
    const events = journal()
      .add(body.started(), body.run(1, 'c1', ['ls']))
      .events.slice(1);
    expect(call(events).ranIn).toBeNull();
  });
});
