import { describe, expect, test } from 'vitest';
import type { Entry } from '../../src/renderer/timeline/entries';
import { fold, NOTHING_FOLDED } from '../../src/renderer/timeline/fold';
import { canFork, seqOf } from '../../src/renderer/timeline/places';
import * as body from './harness/bodies';
import { Journal, question, uuid } from './harness/world';

const NOW = 1_800_000_000_000;
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: null };
const grant = {
  id: uuid(70),
  sessionId: uuid(1),
  match: { scope: 'session', tool: 'run_command', program: '/usr/bin/ls' },
  covers: 'any ls command in this session',
  createdAt: NOW,
  expiresAt: null,
  uses: 0,
  revokedAt: null,
};

/** A session with an entry of every kind that lasts, and what each of them ends with. */
const journal = new Journal(1, NOW).add(
  body.started(),
  { type: 'user_message', text: 'Do it' },
  body.said(
    1,
    { type: 'thinking', text: 'Hm.', signature: 's' },
    body.text('I look.'),
    body.use('c1', 'run_command', {}),
    body.use('c2', 'ask_human_select', {}),
  ),
  body.run(1, 'c1', ['ls']),
  body.ran(1, 'c1', 'ls', 'a\n', 4),
  { type: 'grant_given', grant },
  { type: 'request_opened', request: question(8, NOW, { form: 'confirm' }, { callId: 'c2' }) },
  body.settled(uuid(8), 'c2', { outcome: 'approved', by: 'operator' }, 10),
  body.result(1, 'c2', 'ask_human_select', '{}', 1),
  { type: 'compacted', summary: 'So far.', replaced: 3, kept: 1, usage },
  { type: 'notice', level: 'warning', text: 'Mind this.' },
  { type: 'run_ended', state: 'completed', reason: 'done' },
  body.started({ resumed: true }),
);
const ENDS: Readonly<Partial<Record<Entry['kind'], string>>> = {
  user: 'user_message',
  thinking: 'assistant_message',
  agent: 'assistant_message',
  call: 'call_result',
  grant: 'grant_given',
  question: 'call_result',
  compacted: 'compacted',
  notice: 'notice',
  'run-end': 'run_ended',
  'run-start': 'run_started',
};

describe('a fork', () => {
  const { entries } = fold(NOTHING_FOLDED, journal.events);

  test('can go on from every entry that lasts, and takes over all up to what it shows', () => {
    expect(new Set(entries.map(({ kind }) => kind))).toEqual(new Set(Object.keys(ENDS)));
    for (const entry of entries) {
      expect(canFork(entry), entry.kind).toBe(true);
      const last = journal.events.find(({ seq }) => seq === seqOf(journal.events, entry));
      expect(last?.body.type, entry.kind).toBe(ENDS[entry.kind]);
    }
    const [first, second] = entries.filter(({ kind }) => kind === 'call' || kind === 'question');
    expect(seqOf(journal.events, first as Entry)).toBeLessThan(seqOf(journal.events, second as Entry) ?? 0);
  });

  test('cannot go on from what is only there until a reply is', () => {
    const waits = new Journal(1, NOW).add(
      { type: 'model_started', turn: 1, attempt: 1 },
      { type: 'model_retry', turn: 1, attempt: 1, reason: 'overloaded' },
      { type: 'model_started', turn: 1, attempt: 2 },
    );
    const kinds = fold(NOTHING_FOLDED, waits.events).entries;
    expect(kinds.map(({ kind }) => kind)).toEqual(['retry', 'asking']);
    expect(kinds.some(canFork)).toBe(false);
  });

  test('waits for the end of what still streams or runs', () => {
    const live = new Journal(1, NOW).add(
      { type: 'model_delta', turn: 1, attempt: 1, kind: 'thinking', text: 'Hm' },
      { type: 'model_delta', turn: 1, attempt: 1, kind: 'text', text: 'I' },
    );
    for (const entry of fold(NOTHING_FOLDED, live.events).entries) expect(seqOf(live.events, entry)).toBeNull();
    const running = new Journal(1, NOW).add(body.run(1, 'c1', ['ls']));
    for (const entry of fold(NOTHING_FOLDED, running.events).entries) expect(seqOf(running.events, entry)).toBeNull();
  });
});
