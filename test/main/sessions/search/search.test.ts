import type { EventBody } from '@shared/events';
import type { ApprovalRequest } from '@shared/requests';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Rememberable } from '../../../../src/main/approvals/remember';
import { parseSearch } from '../../../../src/main/sessions/search/query';
import { Search } from '../../../../src/main/sessions/search/search';
import { approval, openStore, rememberable, type Store, startSession } from '../../../support/store';

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
