import type { AssistantBlock, Usage } from '@shared/events';
import { CallId } from '@shared/ids';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ConversationMessage,
  type LanguageModel,
  ModelError,
  type ModelRequest,
} from '../../../src/main/models/model';
import { compact, isFull, keptMessages, transcript } from '../../../src/main/runs/compaction';
import { conversationOf } from '../../../src/main/runs/conversation';
import { RunRecord } from '../../../src/main/runs/run-record';
import { openStore, type Store, startSession } from '../../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => store.close());

const USAGE: Usage = { input: 1_000, output: 100, cacheRead: 0, cacheWrite: 0, costUsd: 0.5 };
const NEVER = new AbortController().signal;

/** A session of some turns, each with one call and its result. */
function hold(turns: number) {
  const ref = startSession(store.journal);
  for (let turn = 1; turn <= turns; turn += 1) {
    const callId = CallId.parse(`call_${turn}`);
    const blocks: AssistantBlock[] = [
      { type: 'text', text: `step ${turn}` },
      { type: 'tool_use', id: callId, name: 'look', inputText: '{}' },
    ];
    store.journal.append(
      ref,
      [
        { type: 'assistant_message', turn, blocks, stopReason: 'tool_use', usage: { ...USAGE, costUsd: null } },
        { type: 'call_result', turn, callId, tool: 'look', content: `result ${turn}`, isError: false, durationMs: 1 },
      ],
      'durable',
    );
  }
  const session = store.reader.session(ref.sessionId);
  if (session === null) throw new Error('no session');
  return new RunRecord(ref, store.journal, conversationOf(store.reader.conversationEvents(ref.sessionId)), session);
}

function summariser(reply: string | ModelError) {
  const asked: ModelRequest[] = [];
  const model: LanguageModel = {
    provider: 'anthropic',
    name: 'a model',
    reply: async (request) => {
      asked.push(request);
      if (reply instanceof ModelError) throw reply;
      return { blocks: [{ type: 'text', text: reply }], stopReason: 'end_turn', usage: USAGE };
    },
  };
  return { model, asked };
}

describe('a conversation that nears the model’s context', () => {
  it('is full before it is too long, and a script’s never is', () => {
    expect(isFull(149_000, 'anthropic')).toBe(false);
    expect(isFull(151_000, 'anthropic')).toBe(true);
    expect(isFull(10_000_000, 'scripted')).toBe(false);
  });

  it('goes on with a summary in place of its older turns, and the journal keeps them', async () => {
    const record = hold(10);
    const before = record.conversation.messages;
    const { model, asked } = summariser('They asked for something; steps 1 to 7 are done.');
    await compact(model, record, record.conversation, 1_000, NEVER);

    const after = record.conversation.messages;
    expect(after).toHaveLength(7);
    expect(after[0]).toMatchObject({ role: 'user', text: expect.stringMatching(/summary.*\n\nThey asked/s) });
    expect(after.slice(1)).toEqual(before.slice(-6));
    expect(after[1]).toMatchObject({ role: 'assistant' });
    expect(asked[0]?.tools).toEqual([]);
    expect(JSON.stringify(asked[0]?.messages)).toMatch(/Do something.*step 7.*result 7/s);
    expect(JSON.stringify(asked[0]?.messages)).not.toMatch(/step 8/);

    const { sessionId } = record.ref;
    const { events } = store.reader.events({ sessionId, from: { at: 'end' }, limit: 100 });
    expect(events.filter(({ body }) => body.type === 'assistant_message')).toHaveLength(10);
    expect(events.at(-1)?.body).toMatchObject({ type: 'compacted', replaced: 15, kept: 6 });
    expect(store.reader.session(sessionId)).toMatchObject({ turns: 10, tokens: 12_100, costUsd: 0.5 });
  });

  it('comes back the same from its journal, for a resume', async () => {
    const record = hold(10);
    await compact(summariser('A summary.').model, record, record.conversation, 1_000, NEVER);
    const again = conversationOf(store.reader.conversationEvents(record.ref.sessionId));
    expect(again.messages).toEqual(record.conversation.messages);
    await compact(summariser('Never asked.').model, record, record.conversation, 1_000, NEVER);
    expect(record.conversation.messages).toEqual(again.messages);
  });

  it('goes on whole, and says so, when the summary fails', async () => {
    const record = hold(10);
    const before = record.conversation.messages;
    await compact(summariser(new ModelError('No answer.')).model, record, record.conversation, 1_000, NEVER);
    expect(record.conversation.messages).toEqual(before);
    const { events } = store.reader.events({ sessionId: record.ref.sessionId, from: { at: 'end' }, limit: 1 });
    expect(events[0]?.body).toMatchObject({
      type: 'notice',
      level: 'warning',
      text: expect.stringMatching(/No answer/),
    });
  });

  it('keeps calls together with their results, and short conversations as they are', () => {
    const user: ConversationMessage = { role: 'user', text: 'a' };
    const agent: ConversationMessage = { role: 'assistant', blocks: [] };
    const results: ConversationMessage = { role: 'results', results: [] };
    expect(keptMessages([user, agent, results, agent])).toBeNull();
    expect(keptMessages([user, agent, results, agent, results, agent, results, agent, user])).toBe(6);
    expect(keptMessages([user, agent, results, agent, results, agent, results, agent, results, user])).toBe(7);
  });

  it('is summarised from what is left when the middle of long results is taken out', () => {
    const content = `begin${'x'.repeat(10_000)}end`;
    const text = transcript([{ role: 'results', results: [{ callId: CallId.parse('c'), content, isError: false }] }]);
    expect(text.length).toBeLessThan(2_200);
    expect(text).toMatch(/^RESULT: begin.*characters left out.*end$/s);
  });
});
