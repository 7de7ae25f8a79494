import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventBody, EventOf, EventType } from '@shared/events';
import { RunId, SessionId } from '@shared/ids';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AnthropicModel } from '../../../src/main/models/anthropic';
import { conversationOf } from '../../../src/main/runs/conversation';
import { recoverInterrupted } from '../../../src/main/runs/recovery';
import { DATABASE_FILE } from '../../../src/main/sessions/database';
import { forkSession } from '../../../src/main/sessions/fork-session';
import type { RunRef } from '../../../src/main/sessions/journal';
import { StoreService } from '../../../src/main/sessions/worker/store-service';
import {
  cutAfter,
  failure,
  gate,
  type MessageReply,
  MessagesServer,
  message,
  say,
  text,
  toolCall,
} from '../../support/messages-server';
import { probe, type RunOptions, startRun } from '../../support/run';
import { openStore, type Store, wholeJournal } from '../../support/store';

let store: Store;
let server: MessagesServer;
beforeEach(async () => {
  store = await openStore();
  server = await MessagesServer.start();
});
afterEach(async () => {
  // Whatever the app sent was a conversation that the API takes.
  expect(server.complaints).toEqual([]);
  await server.close();
  await store.close();
});

const look = () => probe('look', { dangerous: false, run: async () => 'what stood there' });
const options = (over: RunOptions = {}): RunOptions => ({
  ...over,
  model: new AnthropicModel({
    model: 'claude-sonnet-4-6',
    apiKey: 'test-key',
    baseUrl: server.url,
    backoffMs: () => 0,
  }),
});
const of = <T extends EventType>(events: readonly EventBody[], type: T) =>
  events.filter((body): body is EventOf<T> => body.type === type);
const isSummary = (index: number) =>
  JSON.stringify(server.requests[index]?.body.system ?? '').includes('You summarise');

/** A turn with one call, after which the conversation comes to so many tokens. */
const step = (number: number, tokens: number): MessageReply =>
  message([text(`step ${number}`), toolCall(`call_${number}`, 'look', `{"n":${number}}`)], {
    usage: { input: 100, cacheRead: tokens - 150, output: 50 },
  });
const steps = (count: number, tokens = 1_000) => Array.from({ length: count }, (_, index) => step(index + 1, tokens));
const summary = (words = 'They asked for something; much is done.') =>
  message([text(words)], { usage: { input: 9_000, output: 300 } });

/** A run that was told to stop, or killed, goes on. */
const next = ({ sessionId }: RunRef): RunRef => ({ sessionId, runId: RunId.parse(randomUUID()) });

describe('a conversation that nears what its model takes in', () => {
  it('goes on with a summary in place of its older turns; the journal keeps them, and their cost counts', async () => {
    server.enqueue(...steps(7), step(8, 160_000), summary(), say('All done.'));
    const { run, ref, events } = startRun(store, [], [look().tool], options());
    expect(await run.ended).toBe('completed');

    expect(isSummary(8)).toBe(true);
    expect(server.requests[8]?.body.tools).toBeUndefined();
    expect(JSON.stringify(server.requests[8]?.body.messages)).toMatch(/Do something.*step 5.*what stood there/s);
    const after = server.requests[9]?.body.messages ?? [];
    expect(JSON.stringify(after[0])).toContain('much is done');
    expect(JSON.stringify(after)).not.toContain('step 5');
    expect(JSON.stringify(after)).toMatch(/step 6.*step 7.*step 8/s);

    const all = events();
    expect(of(all, 'assistant_message')).toHaveLength(9);
    expect(of(all, 'compacted')).toMatchObject([{ replaced: 11, kept: 6, usage: { input: 9_000, output: 300 } }]);
    expect(store.reader.session(ref.sessionId)?.tokens).toBe(7 * 1_000 + 160_000 + 9_300 + 120);
  });

  it.each([
    ['the models endpoint', { said: 1_000_000, file: undefined, compacts: false }],
    ['the models endpoint, of a small one', { said: 32_000, file: undefined, compacts: true }],
    ['the agent file, before the endpoint', { said: 1_000_000, file: 64_000, compacts: true }],
  ])('is measured by what %s says', async (_name, { said, file, compacts }) => {
    server.models.set('claude-sonnet-4-6', said);
    server.respond(() => (isSummary(server.requests.length - 1) ? summary() : say('All done.')));
    server.enqueue(...steps(7), step(8, 160_000));
    const limits = file === undefined ? {} : { contextTokens: file };
    const { run, events } = startRun(store, [], [look().tool], options({ settings: { limits } }));
    expect(await run.ended).toBe('completed');
    expect(of(events(), 'compacted')).toHaveLength(compacts ? 1 : 0);
    expect(server.askedModels).toHaveLength(file === undefined ? 1 : 0);
  });

  it('counts the results that came since, which no provider has counted yet', async () => {
    const long = probe('look', { dangerous: false, run: async () => 'x'.repeat(60_000) });
    server.enqueue(...steps(7), step(8, 135_000), summary(), say('All done.'));
    const { run, events } = startRun(store, [], [long.tool], options());
    expect(await run.ended).toBe('completed');
    expect(of(events(), 'compacted')).toMatchObject([{ replaced: 13, kept: 4 }]);
  });

  it('counts a broken reply once', async () => {
    const half = (reply: MessageReply) => cutAfter(4, reply);
    server.enqueue(...steps(7), half(step(8, 80_000)), step(8, 80_000), say('All done.'));
    const { run, events } = startRun(store, [], [look().tool], options());
    expect(await run.ended).toBe('completed');
    expect(of(events(), 'compacted')).toEqual([]);
  });

  it('keeps calls together with their results where the operator speaks while the summary is made', async () => {
    const held = gate();
    server.enqueue(...steps(7), step(8, 160_000), message([text('They asked ', held, 'for it.')]), say('All done.'));
    const { run, events } = startRun(store, [], [look().tool], options());
    await held.reached;
    run.say('and the tests');
    run.say('and the docs');
    held.open();
    expect(await run.ended).toBe('completed');
    expect(of(events(), 'compacted')).toMatchObject([{ replaced: 11, kept: 8 }]);
    expect(JSON.stringify(server.requests[9]?.body.messages)).toMatch(/step 6.*and the tests.*and the docs/s);
  });

  it('looks at the limits again after the summary, which costs, too', async () => {
    server.enqueue(...steps(7), step(8, 160_000), summary(), say('never asked for'));
    const limits = { maxTokens: 7 * 1_000 + 160_000 + 9_000 };
    const { run, events } = startRun(store, [], [look().tool], options({ settings: { limits } }));
    expect(await run.ended).toBe('budget');
    expect(of(events(), 'compacted')).toHaveLength(1);
    expect(server.requests).toHaveLength(9);
  });
});

describe('a summary that does not come', () => {
  const failures = [
    ['the API fails', () => Array.from({ length: 4 }, () => failure(500, 'it broke')), /it broke/],
    ['the stream breaks off', () => Array.from({ length: 3 }, () => cutAfter(4, summary())), /broke off 3 times/],
    ['the model says nothing', () => [message([text(' ')])], /gave no summary/],
    ['the model refuses', () => [message([text('No.')], { stopReason: 'refusal' })], /gave no summary/],
  ] as const;
  it.each(failures)(
    'leaves the conversation as it is, says so, and is not asked for at every turn: %s',
    async (_name, replies, words) => {
      server.enqueue(...steps(7), step(8, 160_000), ...replies(), step(9, 161_000), say('All done.'));
      const { run, ref, events } = startRun(store, [], [look().tool], options());
      expect(await run.ended).toBe('completed');
      expect(of(events(), 'compacted')).toEqual([]);
      expect(of(events(), 'notice')).toMatchObject([{ level: 'warning', text: expect.stringMatching(words) }]);
      expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toMatch(/step 1.*step 9/s);
      const { tokens } = store.reader.session(ref.sessionId) ?? { tokens: 0 };
      const counted = of(events(), 'notice')[0]?.usage;
      expect(tokens).toBe(
        7_000 + 160_000 + 161_000 + 120 + (counted === undefined ? 0 : counted.input + counted.output),
      );
    },
  );

  it('is made from what came the second time, where its stream was cut', async () => {
    server.enqueue(
      ...steps(7),
      step(8, 160_000),
      cutAfter(4, summary('Half a')),
      summary('A whole one.'),
      say('Done.'),
    );
    const { run, events } = startRun(store, [], [look().tool], options());
    expect(await run.ended).toBe('completed');
    expect(of(events(), 'compacted')).toMatchObject([{ summary: 'A whole one.', usage: { input: 18_000 } }]);
  });

  it('is made from less where what it is made from is itself refused as too long', async () => {
    server.enqueue(...steps(7), step(8, 160_000), failure(400, 'prompt is too long'), summary(), say('Done.'));
    const { run, events } = startRun(store, [], [look().tool], options());
    expect(await run.ended).toBe('completed');
    expect(of(events(), 'compacted')).toHaveLength(1);
    expect(isSummary(8) && isSummary(9)).toBe(true);
  });

  it.each(['stopped', 'interrupted'] as const)(
    'is given up when the run is %s, and made when it goes on',
    async (how) => {
      const held = gate();
      server.enqueue(...steps(7), step(8, 160_000), message([text('They asked ', held, 'for it.')]));
      const { run, ref, events } = startRun(store, [], [look().tool], options());
      await held.reached;
      const asked = server.requests[8];
      if (how === 'stopped') run.stop();
      else run.interrupt();
      expect(await run.ended).toBe(how);
      await asked?.closed;
      expect(of(events(), 'compacted')).toEqual([]);
      expect(of(events(), 'compacting')).toHaveLength(1);

      server.enqueue(say('All done.'));
      const again = startRun(store, [], [look().tool], options({ ref: next(ref) }));
      expect(await again.run.ended).toBe('completed');
      expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toMatch(/step 1.*step 8/s);
    },
  );
});

describe('a conversation that the API refuses as too long', () => {
  it('is summarised, and the model asked once more', async () => {
    server.enqueue(
      ...steps(8),
      failure(400, 'prompt is too long: 208310 tokens > 200000 maximum'),
      summary(),
      say('Done.'),
    );
    const { run, events } = startRun(store, [], [look().tool], options());
    expect(await run.ended).toBe('completed');
    expect(of(events(), 'compacted')).toHaveLength(1);
    expect(isSummary(9)).toBe(true);
    expect(JSON.stringify(server.requests[10]?.body.messages)).not.toContain('step 1');
  });

  it('is so, too, where its reply was cut off at the end of the context: nothing of that counts, but its cost', async () => {
    const cut = message([text('As I was say'), toolCall('call_x', 'look', '{"n":')], {
      stopReason: 'model_context_window_exceeded',
      usage: { input: 190_000, output: 10_000 },
    });
    server.enqueue(...steps(8), cut, summary(), say('Done.'));
    const { run, ref, events } = startRun(store, [], [look().tool], options());
    expect(await run.ended).toBe('completed');
    expect(of(events(), 'compacted')).toMatchObject([{ usage: { input: 199_000, output: 10_300 } }]);
    expect(of(events(), 'assistant_message')).toHaveLength(9);
    expect(JSON.stringify(of(events(), 'assistant_message'))).not.toContain('As I was');
    expect(store.reader.session(ref.sessionId)?.tokens).toBe(8 * 1_000 + 200_000 + 9_300 + 120);
  });

  it('fails the run when it is refused again, and a resume makes it shorter still', async () => {
    const refused = failure(400, 'prompt is too long');
    server.enqueue(...steps(8), refused, summary(), refused);
    const { run, ref, events } = startRun(store, [], [look().tool], options());
    expect(await run.ended).toBe('failed');
    expect(of(events(), 'run_ended')).toMatchObject([
      { reason: expect.stringMatching(/too long for claude-sonnet-4-6/) },
    ]);

    server.enqueue(refused, summary('Shorter.'), say('Done.'));
    const again = startRun(store, [], [look().tool], options({ ref: next(ref) }));
    expect(await again.run.ended).toBe('completed');
    expect(of(again.events(), 'compacted')).toHaveLength(2);
    expect(server.requests.at(-1)?.body.messages.length).toBeLessThan(server.requests[10]?.body.messages.length ?? 0);
  });

  it('fails the run where there is nothing to summarise', async () => {
    server.enqueue(failure(413, 'too large'));
    const { run, events } = startRun(store, [], [look().tool], options());
    expect(await run.ended).toBe('failed');
    expect(of(events(), 'run_ended')).toMatchObject([
      { reason: expect.stringMatching(/too long for claude.*\(413\)/) },
    ]);
    expect(server.requests).toHaveLength(1);
  });

  it('goes on without the last results where these alone are too long, and says so to the model', async () => {
    const big = probe('look', { dangerous: false, run: async () => 'x'.repeat(600_000) });
    server.enqueue(step(1, 1_000), failure(400, 'prompt is too long'), summary('They looked.'), say('Done.'));
    const { run, events } = startRun(store, [], [big.tool], options());
    expect(await run.ended).toBe('completed');
    expect(of(events(), 'compacted')).toMatchObject([{ replaced: 3, kept: 0 }]);
    expect(JSON.stringify(server.requests[3]?.body.messages)).toMatch(/They looked.*Ask for less/s);
  });
});

describe('a session that was summarised', () => {
  it('comes back the same from its journal after a kill', async () => {
    const held = gate();
    server.enqueue(...steps(7), step(8, 160_000), summary(), message([text('I go on ', held)]));
    const { run, ref } = startRun(store, [], [look().tool], options());
    await held.reached;
    const { sessionId } = ref;
    // A kill leaves the run without an end; what it would still write is another process's.
    const killed = conversationOf(store.reader.conversationEvents(sessionId));
    run.interrupt();
    await run.ended;
    recoverInterrupted(store.reader, store.journal, store.inbox);
    expect(conversationOf(store.reader.conversationEvents(sessionId)).messages).toEqual(killed.messages);

    server.enqueue(say('All done.'));
    const again = startRun(store, [], [look().tool], options({ ref: next(ref) }));
    expect(await again.run.ended).toBe('completed');
    expect(server.requests.at(-1)?.body.messages).toEqual(server.requests[9]?.body.messages);
  });

  it('is whole again in a fork from before the mark, and summarised in one from behind it; neither is paid twice', async () => {
    server.enqueue(...steps(7), step(8, 160_000), summary(), say('All done.'));
    const { run, ref } = startRun(store, [], [look().tool], options());
    await run.ended;
    const journal = wholeJournal(store, ref.sessionId);
    const mark = journal.findIndex(({ body }) => body.type === 'compacted');
    for (const [at, first] of [
      [mark - 1, 'Do something'],
      [mark, 'much is done'],
    ] as const) {
      const copy: RunRef = { sessionId: SessionId.parse(randomUUID()), runId: RunId.parse(randomUUID()) };
      const seq = journal[at]?.seq ?? 0;
      await forkSession(store.database, { sessionId: ref.sessionId, seq, newId: copy.sessionId, runId: copy.runId });
      expect(store.reader.session(copy.sessionId)?.tokens).toBe(0);
      server.enqueue(say('Forked.'));
      const forked = startRun(store, [], [look().tool], options({ ref: next(copy) }));
      expect(await forked.run.ended).toBe('completed');
      const sent = server.requests.at(-1)?.body.messages ?? [];
      expect(JSON.stringify(sent[0])).toContain(first);
      expect(JSON.stringify(sent)).toMatch(/step 6.*step 8/s);
      expect(store.reader.session(copy.sessionId)?.tokens).toBe(120);
    }
  });

  it('is found by its old words, and exported and taken in whole', async () => {
    server.enqueue(...steps(7), step(8, 160_000), summary(), say('All done.'));
    const { run, ref, events } = startRun(store, [], [look().tool], options());
    await run.ended;
    const service = new StoreService(join(store.home, DATABASE_FILE));
    const there = await openStore();
    const away = new StoreService(join(there.home, DATABASE_FILE));
    try {
      const input = { query: '"step 1"', limit: 10, before: null };
      expect(await service.answer({ type: 'search', input }, () => {})).toMatchObject({ hits: [{}] });
      const path = join(store.home, 'a.jsonl');
      await service.answer({ type: 'export', sessionId: ref.sessionId, format: 'jsonl', path, known: [] }, () => {});
      await away.answer({ type: 'import', path }, () => {});
      const taken = wholeJournal(there, ref.sessionId);
      expect(taken.map(({ body }) => body)).toEqual(events());
      const messages = (from: Store) => conversationOf(from.reader.conversationEvents(ref.sessionId)).messages;
      expect(messages(there)).toEqual(messages(store));
      for (const format of ['html', 'markdown'] as const) {
        const page = join(store.home, `a.${format}`);
        await service.answer({ type: 'export', sessionId: ref.sessionId, format, path: page, known: [] }, () => {});
        expect(await readFile(page, 'utf8')).toMatch(/step 1.*step 8.*much is done/s);
      }
    } finally {
      service.close();
      away.close();
      await there.close();
    }
  });
});
