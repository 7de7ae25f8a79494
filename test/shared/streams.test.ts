import { describe, expect, it } from 'vitest';
import type { EventBody, JournalEvent } from '../../src/shared/events';
import { CallId, RunId, SessionId } from '../../src/shared/ids';
import { mergeStreamed, withoutSettled } from '../../src/shared/streams';

const sessionId = SessionId.parse('00000000-0000-4000-8000-000000000001');
const runs = [1, 2].map((run) => RunId.parse(`00000000-0000-4000-8000-00000000010${run}`));
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: null };
const call = (id: string) => ({ callId: CallId.parse(id) });

const asked: EventBody = { type: 'model_started', turn: 1, attempt: 1 };
const text = (words: string, attempt = 1): EventBody => ({
  type: 'model_delta',
  turn: 1,
  attempt,
  kind: 'text',
  text: words,
});
const thinks = (words: string): EventBody => ({
  type: 'model_delta',
  turn: 1,
  attempt: 1,
  kind: 'thinking',
  text: words,
});
const said: EventBody = { type: 'assistant_message', turn: 1, blocks: [], stopReason: 'end_turn', usage };
const again: EventBody = { type: 'model_retry', turn: 1, attempt: 1, reason: 'broke' };
const printed = (id: string, words: string, bytes: number): EventBody => ({
  type: 'call_output',
  ...call(id),
  text: words,
  bytes,
});
const result = (id: string): EventBody => ({
  type: 'call_result',
  turn: 1,
  ...call(id),
  tool: 'shell',
  content: '',
  isError: false,
  durationMs: 1,
});
const ended: EventBody = { type: 'run_ended', state: 'interrupted', reason: 'gone' };
const message: EventBody = { type: 'user_message', text: 'Wait' };

function journal(bodies: readonly EventBody[], run = 0): JournalEvent[] {
  return bodies.map(
    (body, index) => ({ seq: index + 1, sessionId, runId: runs[run] ?? runs[0], at: index, body }) as JournalEvent,
  );
}
const told = (events: readonly JournalEvent[]) =>
  events.map(({ seq, body }) => `${seq} ${'text' in body ? body.text : body.type}`);

describe('what streamed', () => {
  it('is one piece where it follows one another, with the seq of the last', () => {
    const events = journal([asked, thinks('H'), thinks('m'), text('a'), text('b'), text('c')]);
    expect(told(mergeStreamed(events))).toEqual(['1 model_started', '3 Hm', '6 abc']);
    const outputs = journal([printed('c1', 'a', 1), printed('c1', 'b', 2), printed('c2', 'c', 1)]);
    expect(told(mergeStreamed(outputs))).toEqual(['2 ab', '3 c']);
    expect(mergeStreamed(outputs)[0]?.body).toMatchObject({ bytes: 2 });
  });

  it('is two pieces where something stands between, and of another attempt or run', () => {
    expect(told(mergeStreamed(journal([text('a'), message, text('b')])))).toEqual(['1 a', '2 Wait', '3 b']);
    expect(told(mergeStreamed(journal([text('a'), text('b', 2)])))).toEqual(['1 a', '2 b']);
    const [first] = journal([text('a')]);
    const [, second] = journal([text('x'), text('b')], 1);
    expect(told(mergeStreamed([first, second].filter((event) => event !== undefined)))).toEqual(['1 a', '2 b']);
  });

  it('goes where the whole reply or result comes later, and where it was made anew', () => {
    const events = journal([asked, text('a'), again, text('b', 2), said, printed('c1', 'x', 1), result('c1')]);
    expect(told(withoutSettled(events))).toEqual([
      '1 model_started',
      '3 model_retry',
      '5 assistant_message',
      '7 call_result',
    ]);
  });

  it('stays where it was cut off, also when the session went on, and while it streams', () => {
    const events = journal([asked, text('a'), ended, asked, text('b'), said, printed('c1', 'x', 1), asked, text('c')]);
    expect(told(withoutSettled(events))).toEqual([
      ...['1 model_started', '2 a', '3 run_ended', '4 model_started', '6 assistant_message', '7 x'],
      ...['8 model_started', '9 c'],
    ]);
  });
});
