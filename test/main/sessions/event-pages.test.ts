import { randomUUID } from 'node:crypto';
import type { EventBody, JournalEvent } from '@shared/events';
import { CallId, RunId } from '@shared/ids';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunRef } from '../../../src/main/sessions/journal';
import { openStore, STARTED, type Store, startSession, wholeJournal } from '../../support/store';

let store: Store;
let ref: RunRef;
beforeEach(async () => {
  store = await openStore();
  ref = startSession(store.journal);
});
afterEach(() => store.close());

const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: null };
const callId = CallId.parse('c1');
const asked = (turn: number, attempt = 1): EventBody => ({ type: 'model_started', turn, attempt });
const delta = (turn: number, text: string, kind: 'text' | 'thinking' = 'text', attempt = 1): EventBody => ({
  type: 'model_delta',
  turn,
  attempt,
  kind,
  text,
});
const said = (turn: number, text: string): EventBody => ({
  type: 'assistant_message',
  turn,
  blocks: [{ type: 'text', text }],
  stopReason: 'end_turn',
  usage,
});
const message = (text: string): EventBody => ({ type: 'user_message', text });
const started: EventBody = {
  type: 'call_started',
  turn: 1,
  callId,
  tool: 'shell',
  preview: { kind: 'arguments', rows: [] },
  command: [],
  digest: 'a'.repeat(64),
  program: null,
  allowedBy: 'ungated',
};
const printed = (text: string, bytes: number): EventBody => ({ type: 'call_output', callId, text, bytes });
const result: EventBody = {
  type: 'call_result',
  turn: 1,
  callId,
  tool: 'shell',
  content: 'all',
  isError: false,
  durationMs: 1,
};
const ended: EventBody = { type: 'run_ended', state: 'interrupted', reason: 'gone' };
const goesOn: EventBody = { ...STARTED, resumed: true };

function append(...bodies: EventBody[]): JournalEvent[] {
  return bodies.map((body) => {
    // A run that goes on is another run.
    if (body.type === 'run_started') ref = { ...ref, runId: RunId.parse(randomUUID()) };
    const [event] = store.journal.append(ref, [body], 'batched').events;
    if (event === undefined) throw new Error('nothing was appended');
    return event;
  });
}
type From = Parameters<Store['reader']['events']>[0]['from'];
const page = (from: From = { at: 'end' }, limit = 100) =>
  store.reader.events({ sessionId: ref.sessionId, from, limit });
/** What a page tells, in short; without the beginning of the session. */
const told = (from: From = { at: 'end' }, limit = 100) =>
  page(from, limit)
    .events.filter(({ seq }) => seq > 2)
    .map(({ body }) => ('text' in body ? body.text : body.type));

describe('a page', () => {
  it('leaves out what streamed of a reply and of a call that are whole on record', () => {
    append(asked(1), delta(1, 'Hm', 'thinking'), delta(1, 'I '), delta(1, 'go.'), said(1, 'I go.'));
    append(started, printed('a', 1), printed('b', 2), result);
    expect(told()).toEqual(['model_started', 'assistant_message', 'call_started', 'call_result']);
  });

  it('leaves out what an attempt streamed that was made anew', () => {
    append(asked(1), delta(1, 'Half'), { type: 'model_retry', turn: 1, attempt: 1, reason: 'broke' }, asked(1, 2));
    append(delta(1, 'Wh', 'text', 2), delta(1, 'ole', 'text', 2));
    expect(told()).toEqual(['model_started', 'model_retry', 'model_started', 'Whole']);
  });

  it('has what streams now, each stream as one piece with the seq of its last', () => {
    append(asked(1), delta(1, 'H', 'thinking'), delta(1, 'm', 'thinking'), delta(1, 'Y'));
    const [last] = append(delta(1, 'es'));
    expect(told()).toEqual(['model_started', 'Hm', 'Yes']);
    expect(page().events.at(-1)?.seq).toBe(last?.seq);
    append(said(1, 'Yes'), started, printed('one ', 4), printed('two', 7));
    expect(told()).toEqual(['model_started', 'assistant_message', 'call_started', 'one two']);
    expect(page().events.at(-1)?.body).toMatchObject({ bytes: 7 });
  });

  it('keeps apart what streamed before and after something that was said meanwhile', () => {
    append(asked(1), delta(1, 'One '), delta(1, 'two '), message('Wait'), delta(1, 'three'));
    expect(told()).toEqual(['model_started', 'One two ', 'Wait', 'three']);
  });

  it('has what was cut off, of a reply and of a call, also when the session went on', () => {
    append(asked(1), delta(1, 'I was '), delta(1, 'cut'), ended, goesOn, asked(1), delta(1, 'x'), said(1, 'x'));
    append(started, printed('out', 3), ended, goesOn, asked(2), said(2, 'done'));
    expect(told()).toEqual([
      ...['model_started', 'I was cut', 'run_ended', 'run_started', 'model_started', 'assistant_message'],
      ...['call_started', 'out', 'run_ended', 'run_started', 'model_started', 'assistant_message'],
    ]);
  });

  it('goes on exactly where the last one ended, wherever that is', () => {
    append(asked(1), delta(1, 'I '), message('Hey'), delta(1, 'was '), delta(1, 'cut'), ended, goesOn);
    append(asked(2), delta(2, 'so'), said(2, 'so'), asked(3), delta(3, 'and '), message('More'), delta(3, 'on'));
    const whole = told();
    expect(whole).toEqual([
      ...['model_started', 'I ', 'Hey', 'was cut', 'run_ended', 'run_started'],
      ...['model_started', 'assistant_message', 'model_started', 'and ', 'More', 'on'],
    ]);
    for (const limit of [1, 2, 3, 5]) {
      const forward: JournalEvent[] = [];
      for (let more = true; more; ) {
        const next = page({ at: 'after', seq: forward.at(-1)?.seq ?? 0 }, limit);
        forward.push(...next.events);
        more = next.hasMore;
      }
      expect(forward).toEqual(page().events);
      const back: JournalEvent[] = [];
      for (let more = true; more; ) {
        const first = back[0];
        const next = page(first === undefined ? { at: 'end' } : { at: 'before', seq: first.seq }, limit);
        back.unshift(...next.events);
        more = next.hasMore;
      }
      expect(back).toEqual(page().events);
    }
  });

  it('has what came after an event of it that was the last', () => {
    append(asked(1), delta(1, 'One '));
    const seq = page().events.at(-1)?.seq ?? 0;
    expect(page({ at: 'after', seq })).toEqual({ events: [], hasMore: false });
    append(delta(1, 'two '), delta(1, 'three'));
    expect(told({ at: 'after', seq })).toEqual(['two three']);
    append(said(1, 'One two three'));
    expect(told({ at: 'after', seq })).toEqual(['assistant_message']);
  });

  it('is as short as its events are long, and never without one', () => {
    const long = 'x'.repeat(150_000);
    append(message(long), message(long), message(long), message('y'.repeat(400_000)));
    expect(page().events).toHaveLength(1);
    expect(page().hasMore).toBe(true);
    const last = wholeJournal(store, ref.sessionId).at(-1)?.seq ?? 0;
    expect(page({ at: 'before', seq: last }).events).toHaveLength(2);
    expect(page({ at: 'after', seq: 2 }).events).toHaveLength(2);
  });

  it('counts what lasts, however much streamed between', () => {
    append(asked(1), ...Array.from({ length: 50 }, (_, index) => delta(1, `${index} `)), said(1, 'all'));
    expect(told({ at: 'end' }, 2)).toEqual(['model_started', 'assistant_message']);
  });
});
