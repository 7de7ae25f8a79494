import { expect, test } from 'vitest';
import { createModel, modelName } from '../../../src/main/models/create-model';
import type { ConversationMessage, ModelProgress, ModelReply } from '../../../src/main/models/model';
import { Script } from '../../../src/main/models/script';
import { ScriptedModel } from '../../../src/main/models/scripted';
import { request } from './anthropic-harness';

const never = new AbortController().signal;

/** Plays a script as the loop does; `answer` gives each call's result, and a string ends the turn with a message. */
class Player {
  readonly messages: ConversationMessage[] = [];
  readonly #model: ScriptedModel;

  constructor(script: unknown) {
    this.#model = new ScriptedModel({ script: Script.parse(script), paceMs: 0 });
  }

  hear(text: string): this {
    this.messages.push({ role: 'user', text });
    return this;
  }

  async speak(): Promise<ModelReply> {
    const reply = await this.#model.reply(request({ messages: this.messages }), () => undefined, never);
    this.messages.push({ role: 'assistant', blocks: reply.blocks });
    return reply;
  }

  answer(content: string, isError = false): this {
    const last = this.messages.at(-1);
    if (last?.role !== 'assistant') throw new Error('nothing to answer');
    const calls = last.blocks.filter((block) => block.type === 'tool_use');
    this.messages.push({ role: 'results', results: calls.map(({ id }) => ({ callId: id, content, isError })) });
    return this;
  }
}

const said = (reply: ModelReply): string =>
  reply.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
const denied = (outcome: string): string =>
  JSON.stringify({ allowed: false, outcome, reason: `Denied: the operator declined edit_file. (${outcome})` });

const branching = {
  turns: [
    { say: 'I will edit.', calls: [{ tool: 'edit_file', input: { path: 'a' } }] },
    {
      branch: [
        { when: { tool: 'edit_file', denied: 'declined' }, to: 'declined' },
        { when: { denied: 'any' }, to: 'unanswered' },
        { when: { error: true }, to: 'failed' },
        { when: { fields: { confirmed: true } }, to: 'confirmed' },
        { when: { contains: 'half done' }, to: 'half' },
        { when: { message: 'HURRY' }, to: 'quick' },
      ],
      say: 'Done.',
    },
  ],
  sections: {
    declined: [{ say: 'You said: {{reason}}' }],
    unanswered: [{ say: 'Nobody answered.' }],
    failed: [{ say: 'It failed.' }],
    confirmed: [{ say: 'Confirmed.' }],
    half: [{ say: 'Half.', next: 'quick' }],
    quick: [{ say: 'Quickly.' }],
    end: [{ say: 'That was all.' }],
  },
};

test.each([
  ['the result is in order', 'ok', false, 'Done.'],
  ['it was declined', denied('declined'), false, 'You said: Denied: the operator declined edit_file. (declined)'],
  ['it expired', denied('expired'), false, 'Nobody answered.'],
  ['it failed', 'no such file', true, 'It failed.'],
  ['a field has a value', '{"confirmed": true}', false, 'Confirmed.'],
  ['a field has another value', '{"confirmed": false}', false, 'Done.'],
  ['it holds a text', 'it is half done', false, 'Half.'],
])('a script branches where %s', async (_, content, isError, expected) => {
  const player = new Player(branching).hear('go');
  await player.speak();
  expect(said(await player.answer(content, isError).speak())).toBe(expected);
});

test('a script branches on what the operator writes in between', async () => {
  const player = new Player(branching).hear('go');
  await player.speak();
  expect(said(await player.answer('ok').hear('please hurry').speak())).toBe('Quickly.');
});

test('a section leads to the next one, and after the last turn the end answers, again and again', async () => {
  const player = new Player(branching).hear('go');
  await player.speak();
  await player.answer('half done').speak();
  expect(said(await player.hear('and?').speak())).toBe('Quickly.');
  expect(said(await player.hear('and?').speak())).toBe('That was all.');
  expect(said(await player.hear('and?').speak())).toBe('That was all.');
});

test('a script without an end says that it is over', async () => {
  const player = new Player({ turns: [{ say: 'Hi.' }] }).hear('go');
  await player.speak();
  expect(said(await player.hear('more').speak())).toMatch(/^My script is over/);
});

test('a resumed conversation goes on at the same place, with the same call ids', async () => {
  const source = {
    turns: [
      { calls: [{ tool: 'a' }, { tool: 'b', inputText: '{"n": 9007199254740993' }] },
      { calls: [{ tool: 'c' }] },
      { say: 'Over.' },
    ],
  };
  const script = Script.parse(source);
  const player = new Player(source).hear('go');
  const first = await player.speak();
  expect(first.blocks).toEqual([
    { type: 'tool_use', id: 'call_1_1', name: 'a', inputText: '{}' },
    { type: 'tool_use', id: 'call_1_2', name: 'b', inputText: '{"n": 9007199254740993' },
  ]);
  player.answer('ok');
  const again = () =>
    new ScriptedModel({ script }).reply(request({ messages: player.messages }), () => undefined, never);
  expect(await again()).toEqual(await again());
  expect((await player.speak()).blocks).toMatchObject([{ id: 'call_2_1' }]);
});

test('a reply streams word by word and says how it stopped', async () => {
  const script = Script.parse({ turns: [{ think: 'Let me see.', say: 'One two\nthree', calls: [{ tool: 'a' }] }] });
  const progress: ModelProgress[] = [];
  const model = new ScriptedModel({ script });
  const reply = await model.reply(request(), (one) => progress.push(one), never);
  expect(progress).toEqual([
    { type: 'attempt', attempt: 1 },
    { type: 'delta', kind: 'thinking', text: 'Let ' },
    { type: 'delta', kind: 'thinking', text: 'me ' },
    { type: 'delta', kind: 'thinking', text: 'see.' },
    { type: 'delta', kind: 'text', text: 'One ' },
    { type: 'delta', kind: 'text', text: 'two\n' },
    { type: 'delta', kind: 'text', text: 'three' },
  ]);
  expect(reply.stopReason).toBe('tool_use');
  expect(reply.usage).toMatchObject({ cacheRead: 0, cacheWrite: 0, costUsd: 0 });
  expect(reply.usage.input).toBeGreaterThan(0);
  expect(reply.usage.output).toBeGreaterThan(0);
});

test('a script can stop for another reason, and fail', async () => {
  const player = new Player({ turns: [{ say: 'Cut', stop: 'max_tokens' }, { fail: 'the model is on holiday' }] });
  expect((await player.hear('go').speak()).stopReason).toBe('max_tokens');
  await expect(player.hear('go on').speak()).rejects.toThrow('the model is on holiday');
});

test('stopping ends a pause at once and gives the reason', async () => {
  const script = Script.parse({ turns: [{ wait: '1000s', say: 'Never.' }] });
  const stop = new AbortController();
  const reason = new Error('stopped');
  const reply = new ScriptedModel({ script }).reply(request(), () => stop.abort(reason), stop.signal);
  await expect(reply).rejects.toBe(reason);
});

test('a script that goes round in circles fails instead of hanging', async () => {
  const round = [{ branch: [{ when: {}, to: 'round' }] }];
  await expect(new Player({ turns: round, sections: { round } }).hear('go').speak()).rejects.toThrow(
    'round in circles',
  );
});

test('an agent gets the model that its definition names', () => {
  const connection = { apiKey: null, baseUrl: null, defaultModel: 'claude-default' };
  const script = Script.parse({ turns: [{ say: 'Hi.' }] });
  expect(createModel({ provider: 'scripted', model: null, script }, connection).name).toBe('scripted');
  expect(createModel({ provider: 'anthropic', model: null, script: null }, connection).name).toBe('claude-default');
  expect(createModel({ provider: 'anthropic', model: 'x', script: null }, connection)).toMatchObject({
    provider: 'anthropic',
    name: 'x',
  });
  expect(modelName({ provider: 'anthropic', model: null, script: null }, 'claude-default')).toBe('claude-default');
});
