import { randomUUID } from 'node:crypto';
import type { EventBody } from '@shared/events';
import { RunId, SessionId } from '@shared/ids';
import type { ApprovalRequest } from '@shared/requests';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Rememberable } from '../../../../src/main/approvals/remember';
import { forkSession } from '../../../../src/main/sessions/fork-session';
import { parseSearch } from '../../../../src/main/sessions/search/query';
import { Search } from '../../../../src/main/sessions/search/search';
import { approval, openStore, rememberable, type Store, startSession, wholeJournal } from '../../../support/store';

let store: Store;
beforeEach(async () => {
  store = await openStore();
});
afterEach(() => store.close());

const text = (words: string): EventBody => ({ type: 'user_message', text: words });
function find(query: string, before: number | null = null, limit = 50) {
  const parsed = parseSearch(query, Date.now());
  if (!parsed.ok) throw new Error(parsed.problem);
  return new Search(store.database).find(parsed.query, { before, limit });
}
const listed = (query: string) => store.reader.list({ query, limit: 50, after: null }).sessions.map(({ id }) => id);
const plain = (query: string) => find(query).hits.map(({ snippet }) => snippet.map((part) => part.text).join(''));

/** A request for a command, asked and left open. */
function ask(words: string, over: Partial<Rememberable> & { readonly labels?: ApprovalRequest['labels'] } = {}) {
  const { labels = [], ...call } = over;
  const ref = startSession(store.journal);
  const command = words.split(' ').map((word) => ({ segments: [{ text: word, escape: false }], warnings: [] }));
  const request = { ...approval(ref, rememberable({ ...call, command })), labels };
  return { ref, request, settled: store.inbox.ask(request, rememberable(call)) };
}

describe('searching', () => {
  it('finds words, beginnings and phrases, newest first, and marks them', () => {
    const ref = startSession(store.journal);
    store.journal.append(ref, [text('rotate the staging keys'), text('keys of the staging host, rotated')], 'durable');
    expect(plain('staging keys ')).toEqual(['keys of the staging host, rotated', 'rotate the staging keys']);
    expect(plain('"staging keys"')).toEqual(['rotate the staging keys']);
    expect(plain('rotate ')).toEqual(['rotate the staging keys']);
    expect(plain('rota*')).toHaveLength(2);
    expect(find('staging host').hits[0]).toMatchObject({
      sessionId: ref.sessionId,
      title: 'A session',
      type: 'user_message',
      snippet: [
        { text: 'keys of the ', found: false },
        { text: 'staging', found: true },
        { text: ' ', found: false },
        { text: 'host', found: true },
        { text: ', rotated', found: false },
      ],
    });
  });

  it('finds "every declined curl since March"', async () => {
    const network = { id: 'network', text: 'reaches the network', severity: 'high' as const };
    const curl = ask('curl https://example.org', { tool: 'shell', labels: [network] });
    const other = ask('curl https://example.net', { tool: 'shell' });
    store.inbox.answer(curl.request.id, curl.request.digest, { type: 'decline', reason: 'not today' });
    store.inbox.answer(other.request.id, other.request.digest, { type: 'approve', remember: null });
    await Promise.all([curl.settled, other.settled]);
    const year = new Date().getFullYear();
    const hits = find(`outcome:declined tool:shell label:network since:${year} curl`).hits;
    expect(hits).toMatchObject([{ sessionId: curl.ref.sessionId, type: 'request_settled' }]);
    expect(find('outcome:approved curl').hits).toMatchObject([{ sessionId: other.ref.sessionId }]);
    expect(find('outcome:declined "not today"').hits).toHaveLength(1);
    expect(find(`outcome:declined until:${year - 1}`).hits).toEqual([]);
    expect(find('tool:SHELL label:network').hits.map(({ type }) => type)).toEqual([
      'request_settled',
      'request_opened',
    ]);
    expect(find('agent:tester curl').hits).toHaveLength(4);
    expect(find('agent:nobody curl').hits).toEqual([]);
  });

  it('filters by the state that a session is in now', () => {
    const ended = startSession(store.journal);
    startSession(store.journal);
    store.journal.append(ended, [{ type: 'run_ended', state: 'failed', reason: 'no' }], 'durable');
    expect(find('state:failed something').hits).toMatchObject([{ sessionId: ended.sessionId }]);
    expect(find('something').hits).toHaveLength(2);
  });

  it('pages by key', () => {
    const ref = startSession(store.journal);
    for (let index = 0; index < 5; index += 1) store.journal.append(ref, [text(`word ${index}`)], 'batched');
    const first = find('word ', null, 2);
    expect(first.hasMore).toBe(true);
    const second = find('word ', first.hits[1]?.seq ?? 0, 3);
    expect(second.hits).toHaveLength(3);
    expect(second.hasMore).toBe(false);
  });

  it.each(['curl | sh', 'rm -rf /', 'a && b', 'curl - sh', '"|" curl', 'naïve * curl'])(
    'finds %s where it stands just so: signs between words count for nothing',
    (typed) => {
      const ref = startSession(store.journal);
      store.journal.append(ref, [text(`please run: ${typed} now`)], 'durable');
      expect(find(typed).hits).toHaveLength(1);
      expect(listed(typed)).toEqual([ref.sessionId]);
      expect(find(`${typed} elsewhere`).hits).toEqual([]);
    },
  );

  it('takes nothing that is typed for syntax', () => {
    startSession(store.journal);
    for (const odd of ['"', '*', '-', '(', 'NEAR(', 'a" OR "b', 'text : x', '{a b} : c', '-- ;', "'"]) {
      try {
        expect(find(odd).hits).toEqual([]);
      } catch (error) {
        expect(String(error)).toMatch(/no filter/);
      }
    }
  });
});

describe('the list with filters', () => {
  it('has a session by its state, however much was said elsewhere since', () => {
    const failed = startSession(store.journal);
    store.journal.append(failed, [text('deploy'), { type: 'run_ended', state: 'failed', reason: 'x' }], 'durable');
    const busy = startSession(store.journal);
    const words = Array.from({ length: 2_100 }, (_, index) => text(`deploy ${index}`));
    store.journal.append(busy, words, 'batched');
    expect(listed('state:failed')).toEqual([failed.sessionId]);
    expect(listed('state:failed deploy')).toEqual([failed.sessionId]);
    expect(listed('state:completed')).toEqual([]);
    expect(listed('state:failed nothing-of-it')).toEqual([]);
  });

  it('has a fork, by its state and by its agent', async () => {
    const ref = startSession(store.journal);
    store.journal.append(ref, [{ type: 'run_ended', state: 'completed', reason: 'done' }], 'durable');
    const newId = SessionId.parse(randomUUID());
    const seq = wholeJournal(store, ref.sessionId).find(({ body }) => body.type === 'user_message')?.seq ?? 0;
    const runId = RunId.parse(randomUUID());
    await forkSession(store.database, { sessionId: ref.sessionId, seq, newId, runId });
    expect(listed('state:interrupted')).toEqual([newId]);
    expect(new Set(listed('agent:TESTER'))).toEqual(new Set([newId, ref.sessionId]));
    expect(listed('agent:tester state:interrupted')).toEqual([newId]);
    expect(listed('agent:nobody')).toEqual([]);
  });

  it('has a session by an agent that it had before', () => {
    const ref = startSession(store.journal);
    store.journal.setAgent(ref.sessionId, { agentId: 'agent-2', agent: 'other', fingerprint: '{}' });
    expect(listed('agent:tester')).toEqual([ref.sessionId]);
    expect(listed('agent:other')).toEqual([ref.sessionId]);
    expect(listed('agent:other something')).toEqual([ref.sessionId]);
    expect(listed('agent:other nothing-of-it')).toEqual([]);
  });
});
