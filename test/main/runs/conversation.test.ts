import type { EventBody } from '@shared/events';
import { CallId } from '@shared/ids';
import { describe, expect, it } from 'vitest';
import {
  conversationOf,
  EMPTY_CONVERSATION,
  foldConversation,
  readConversation,
} from '../../../src/main/runs/conversation';
import { STARTED } from '../../support/store';

const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: null };
const say = (text: string): EventBody => ({ type: 'user_message', text });
const began = (turn: number): EventBody => ({ type: 'model_started', turn, attempt: 1 });
const call = (id: string) => ({ type: 'tool_use' as const, id: CallId.parse(id), name: 'list_dir', inputText: '{}' });
const reply = (turn: number, ...ids: string[]): EventBody => ({
  type: 'assistant_message',
  turn,
  blocks: [{ type: 'text', text: `turn ${turn}` }, ...ids.map(call)],
  stopReason: ids.length > 0 ? 'tool_use' : 'end_turn',
  usage,
});
const started = (id: string): EventBody => ({
  type: 'call_started',
  turn: 1,
  callId: CallId.parse(id),
  tool: 'list_dir',
  preview: { kind: 'arguments', rows: [] },
  command: [],
  digest: 'a'.repeat(64),
  program: null,
  allowedBy: 'ungated',
});
const result = (id: string): EventBody => ({
  type: 'call_result',
  turn: 1,
  callId: CallId.parse(id),
  tool: 'list_dir',
  content: `result ${id}`,
  isError: false,
  durationMs: 1,
});
const denied = (id: string): EventBody => ({
  type: 'tool_denied',
  turn: 1,
  callId: CallId.parse(id),
  tool: 'shell',
  outcome: 'declined',
  reason: 'Denied: the operator declined shell. Final.',
});
const ended: EventBody = { type: 'run_ended', state: 'interrupted', reason: '' };
const resumed: EventBody = { ...STARTED, resumed: true };

const of = (...bodies: EventBody[]) => conversationOf(bodies.map((body) => ({ body })));
const roles = (...bodies: EventBody[]) =>
  of(...bodies).messages.map((message) => ('text' in message ? message.text : message.role));

describe('the conversation of a journal', () => {
  it('puts the results of a turn into one message, in order, when the last is there', () => {
    const before = of(say('go'), began(1), reply(1, 'a', 'b'), started('a'), result('a'));
    expect(before.messages).toHaveLength(2);
    expect(before.open.map(({ block, progress }) => [block.id, progress])).toEqual([['b', 'new']]);
    const after = of(say('go'), began(1), reply(1, 'a', 'b'), started('a'), result('a'), denied('b'));
    expect(after.open).toEqual([]);
    expect(after.messages.at(-1)).toEqual({
      role: 'results',
      results: [
        { callId: 'a', content: 'result a', isError: false },
        {
          callId: 'b',
          content: '{"allowed":false,"outcome":"declined","reason":"Denied: the operator declined shell. Final."}',
          isError: false,
        },
      ],
    });
  });

  it('marks a call that had started and has no result as one that may have run', () => {
    expect(of(say('go'), reply(1, 'a'), started('a'), ended).open).toMatchObject([{ progress: 'started' }]);
  });

  it('puts what is said while the model replies after its reply', () => {
    expect(roles(say('go'), began(1), say('wait'), reply(1))).toEqual(['go', 'assistant', 'wait']);
  });

  it('puts what is said while calls run after their results', () => {
    expect(roles(say('go'), reply(1, 'a'), say('wait'), result('a'))).toEqual(['go', 'assistant', 'results', 'wait']);
  });

  it('loses nothing that was said while a reply was cut off by the end of the app', () => {
    expect(roles(say('go'), began(1), say('wait'), ended, resumed, began(1), reply(1))).toEqual([
      'go',
      'wait',
      'assistant',
    ]);
  });

  it('ignores a result for a call that is not open', () => {
    const once = of(say('go'), reply(1, 'a'), result('a'));
    expect(of(say('go'), reply(1, 'a'), result('a'), result('a'))).toEqual(once);
  });

  it('tells the model the words of a notice that is for it, after the results', () => {
    const notice: EventBody = { type: 'notice', level: 'warning', text: 'careful', forModel: true };
    const quiet: EventBody = { type: 'notice', level: 'info', text: 'not for you' };
    expect(roles(say('go'), reply(1, 'a'), notice, quiet, result('a'))).toEqual([
      'go',
      'assistant',
      'results',
      'careful',
    ]);
  });

  it('believes nothing that a file says of a call to have happened here, whenever it goes on', () => {
    const refused: EventBody = {
      type: 'call_refused',
      turn: 1,
      callId: CallId.parse('a'),
      tool: 'list_dir',
      content: 'it ran',
      exitCode: 1,
      durationMs: 1,
      asks: [{ kind: 'network', host: null, port: null }],
    };
    const file = [say('go'), began(1), reply(1, 'a', 'b'), started('a'), refused];
    const taken: EventBody[] = [{ ...resumed, takenIn: true }, ended, resumed];
    expect(of(...file, ...taken).open).toMatchObject([
      { progress: 'started', elsewhere: true },
      { progress: 'new', elsewhere: false },
    ]);
    expect(of(...file, ...taken, started('a')).open[0]).toMatchObject({ elsewhere: false, refused: null });
    expect(of(...file, resumed).open[0]).toMatchObject({ progress: 'refused', elsewhere: false });
  });
});

describe('a call that the sandbox refused something', () => {
  const refused = (id: string, content: string): EventBody => ({
    type: 'call_refused',
    turn: 1,
    callId: CallId.parse(id),
    tool: 'shell',
    content,
    exitCode: 2,
    durationMs: 5,
    asks: [{ kind: 'network', host: null, port: null }],
  });
  const before = [say('go'), began(1), reply(1, 'a'), started('a'), refused('a', 'first')];

  it('has run, and is open still: the model hears of it when its result is there', () => {
    expect(of(...before).open).toMatchObject([{ progress: 'refused', refused: { content: 'first', number: 1 } }]);
    expect(roles(...before)).toEqual(['go', 'assistant']);
    // A crash and a resume change nothing of that.
    expect(of(...before, ended, resumed).open).toMatchObject([{ progress: 'refused', refused: { content: 'first' } }]);
    expect(roles(...before, result('a'))).toEqual(['go', 'assistant', 'results']);
  });

  it('may be running again, and then remembers what it came to before', () => {
    const again = [...before, started('a')];
    expect(of(...again).open).toMatchObject([{ progress: 'started', refused: { content: 'first', number: 1 } }]);
    expect(of(...again, refused('a', 'second')).open).toMatchObject([
      { progress: 'refused', refused: { content: 'second', number: 2 } },
    ]);
  });
});

describe('a journal of thousands of turns', () => {
  const summary = (kept: number): EventBody => ({ type: 'compacted', summary: 'So far.', replaced: 1, kept, usage });
  const turns = (from: number, count: number): EventBody[] =>
    Array.from({ length: count }, (_, index) => {
      const [turn, id] = [from + index, `c${from + index}`];
      return [began(turn), reply(turn, id), started(id), ...(index % 7 === 0 ? [say(`hint ${turn}`)] : []), result(id)];
    }).flat();
  const bodies = [say('go'), ...turns(1, 400), summary(150), ...turns(401, 90), summary(3), ...turns(491, 200)];
  const events = bodies.map((body) => ({ body }));
  const oneByOne = events.reduce(foldConversation, EMPTY_CONVERSATION);

  it('comes to what its events come to one by one, across every summary', () => {
    expect(conversationOf(events)).toEqual(oneByOne);
    expect(oneByOne.messages.length).toBeGreaterThan(300);
    for (const end of [250, 1_000, 1_640, 1_700]) {
      const part = events.slice(0, end);
      expect(conversationOf(part)).toEqual(part.reduce(foldConversation, EMPTY_CONVERSATION));
    }
  });

  it('lets what else is to be done come between as it is read', async () => {
    let between = 0;
    let reading = true;
    const other = () => {
      between += 1;
      if (reading) setImmediate(other);
    };
    setImmediate(other);
    const conversation = await readConversation(events);
    reading = false;
    expect(conversation).toEqual(oneByOne);
    expect(between).toBeGreaterThanOrEqual(Math.floor(events.length / 100));
  });
});
