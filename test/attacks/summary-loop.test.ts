import type { StopReason } from '@shared/events';
import { CallId } from '@shared/ids';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LanguageModel, type ModelReply, PromptTooLong } from '../../src/main/models/model';
import { probe, type RunOptions, startRun } from '../support/run';
import { openStore, type Store } from '../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => store.close());

const USAGE = { input: 500, output: 300, cacheRead: 0, cacheWrite: 0, costUsd: 0.01 };
const say = (text: string, stopReason: StopReason = 'end_turn'): ModelReply => ({
  blocks: [{ type: 'text', text }],
  stopReason,
  usage: USAGE,
  conversationTokens: 0,
});
const look = (n: number): ModelReply => ({
  blocks: [{ type: 'tool_use', id: CallId.parse(`call_${n}`), name: 'look', inputText: `{"n":${n}}` }],
  stopReason: 'tool_use',
  usage: USAGE,
  conversationTokens: 0,
});
const tooLong = () => new PromptTooLong('the conversation is too long');

/** A run of an agent whose prompt is so many bytes long; its model gives these replies, and a summary whenever asked. */
async function run(promptBytes: number, replies: (ModelReply | Error)[], limits: Partial<{ contextTokens: number }>) {
  const asked: ('turn' | 'summary')[] = [];
  const model: LanguageModel = {
    provider: 'scripted',
    name: 'm',
    contextTokens: async () => 200_000,
    reply: async ({ system }) => {
      const isSummary = system.includes('You summarise');
      asked.push(isSummary ? 'summary' : 'turn');
      if (isSummary) return say('The operator asked for something, and some of it is done. '.repeat(4));
      const reply = replies.shift() ?? say('Done.');
      if (reply instanceof Error) throw reply;
      return reply;
    },
  };
  const settings: RunOptions['settings'] = { systemPrompt: 'x'.repeat(promptBytes), limits };
  const tool = probe('look', { dangerous: false, run: async () => 'y'.repeat(300) }).tool;
  const { run, events } = startRun(store, [], [tool], { model, settings });
  return { end: await run.ended, asked, last: events().at(-1) };
}

it('the model speaks between two summaries, where its prompt and tools alone are beyond the line', async () => {
  // 12,600 tokens as they are estimated, of a context of 16,000: it fits, and the model never complained.
  const replies = Array.from({ length: 8 }, (_, n) => look(n));
  const { end, asked } = await run(37_800, replies, { contextTokens: 16_000 });
  expect(end).toBe('completed');
  expect(asked.filter((what) => what === 'turn')).toHaveLength(9);
  expect(asked.filter((what) => what === 'summary').length).toBeLessThanOrEqual(2);
});

it('one refusal as too long does not have it summarise at every turn after', async () => {
  const replies = [look(1), tooLong(), ...Array.from({ length: 8 }, (_, n) => look(n + 2))];
  const { end, asked } = await run(120_000, replies, {});
  expect(end).toBe('completed');
  expect(asked.slice(0, 4)).toEqual(['turn', 'turn', 'summary', 'turn']);
  expect(asked.filter((what) => what === 'summary').length).toBeLessThanOrEqual(2);
});

it('says that it is the agent itself that is too long, which no summary makes shorter', async () => {
  const { end, asked, last } = await run(600_000, [tooLong(), tooLong()], {});
  expect(end).toBe('failed');
  expect(asked).toEqual(['turn']);
  expect(last).toMatchObject({ reason: expect.stringMatching(/too long\. The prompt and the tools .* about 200,\d+/) });
});
