import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EventOf, MAX_COST_USD, MAX_TOKENS, type Usage } from '@shared/events';
import { MAX_TIMESTAMP, RequestId } from '@shared/ids';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DATABASE_FILE } from '../../src/main/sessions/database';
import { StoreService } from '../../src/main/sessions/worker/store-service';
import { Statistics } from '../../src/shared/statistics';
import { type Forged, forge } from '../support/forged-file';
import { openStore, type Store, startSession } from '../support/store';

let store: Store;
let service: StoreService;
beforeEach(async () => {
  store = await openStore();
  service = new StoreService(join(store.home, DATABASE_FILE));
});
afterEach(async () => {
  service.close();
  await store.close();
});

const BEYOND = 9e15;
const USAGE: Usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: null };
const spent = (usage: Partial<Usage>): EventOf<'assistant_message'> => ({
  type: 'assistant_message',
  turn: 1,
  blocks: [{ type: 'text', text: 'hi' }],
  stopReason: 'end_turn',
  usage: { ...USAGE, ...usage },
});
const statistics = async () => Statistics.parse(await service.answer({ type: 'statistics', since: 0 }, () => {}));

async function refusal(forged: Forged): Promise<string> {
  const path = join(store.home, 'forged.jsonl');
  await forge(path, forged);
  return service
    .answer({ type: 'import', path }, () => {})
    .then(
      () => 'it was taken in',
      (error: Error) => error.message,
    );
}

/** A decision with this content, as a file has it. */
function decision(body: string) {
  const requestId = RequestId.parse(randomUUID());
  return { kind: 'audit' as const, requestId, body, bodyHash: createHash('sha256').update(body).digest('hex') };
}

describe('a file that is taken in', () => {
  it.each<[string, Forged]>([
    ['more tokens than can be added up', { events: [spent({ input: Number.MAX_SAFE_INTEGER })] }],
    ['a cost that cannot be added up', { events: [spent({ costUsd: 1.7e308 })] }],
    ['a time beyond the year 9999', { at: MAX_TIMESTAMP + 400 * 86_400_000, events: [spent({})] }],
    ['a session from beyond all years', { session: { createdAt: BEYOND, updatedAt: BEYOND } }],
    ['a turn that has no next one', { events: [{ ...spent({}), turn: Number.MAX_SAFE_INTEGER }] }],
    ['a decision whose content is no JSON', { more: [decision('no JSON')] }],
    ['a decision whose content is too deep', { more: [decision(`${'['.repeat(9_000)}${']'.repeat(9_000)}`)] }],
  ])('is refused with %s', async (_, forged) => {
    expect(await refusal(forged)).toMatch(/^Line \d.*Nothing was taken in\.$/);
    expect(store.reader.list({ query: '', limit: 10, after: null }).sessions).toEqual([]);
  });

  it('goes on where its sums are at the end of what can be counted', async () => {
    const most = Number.MAX_SAFE_INTEGER;
    const path = join(store.home, 'forged.jsonl');
    const { sessionId, runId } = await forge(path, { session: { tokens: most, turns: most, workingMs: most } });
    await service.answer({ type: 'import', path }, () => {});
    store.journal.append({ sessionId, runId }, [spent({})], 'durable');
    expect(store.reader.session(sessionId)).toMatchObject({ tokens: most, turns: most });
  });
});

describe('what an older Sayso took in without bounds', () => {
  /** A session of which everything is beyond its bound, and one as it should be. */
  function onRecord() {
    const [bad, good] = [startSession(store.journal), startSession(store.journal)];
    store.journal.append(bad, [spent({}), spent({})], 'durable');
    store.journal.append(good, [spent({ input: 1_000, costUsd: 1 })], 'durable');
    const change = store.database.prepare(`UPDATE events SET at = @at, body = CASE type
      WHEN 'assistant_message' THEN json_set(body, '$.usage.input', @at, '$.usage.costUsd', 1.7e308)
      ELSE body END WHERE session_id = @id`);
    const values = { at: BEYOND, id: bad.sessionId };
    change.run(values);
    store.database.prepare('UPDATE sessions SET created_at = @at, updated_at = @at WHERE id = @id').run(values);
    const insert = store.database.prepare(
      'INSERT INTO events (session_id, run_id, at, type, body) VALUES (?, ?, ?, ?, ?)',
    );
    insert.run(bad.sessionId, bad.runId, Date.now(), 'tool_denied', 'no JSON');
    return { bad, good };
  }

  it('counts up to the bound in the statistics, and takes nothing else from them', async () => {
    onRecord();
    const { agents, days } = await statistics();
    expect(agents).toMatchObject([{ tokens: 2 * MAX_TOKENS + 1_003, costUsd: 2 * MAX_COST_USD + 1 }]);
    expect(days.map(({ tokens }) => tokens)).toEqual([1_001, 2 * MAX_TOKENS + 2]);
  });

  it('is listed, found, read and exported', async () => {
    const { bad } = onRecord();
    expect(store.reader.list({ query: '', limit: 10, after: null }).sessions).toHaveLength(2);
    const input = { query: 'hi', before: null, limit: 10 };
    expect(await service.answer({ type: 'search', input }, () => {})).toMatchObject({ hits: [{}, {}, {}] });
    const read = [...store.reader.conversationEvents(bad.sessionId)];
    expect(read.filter(({ body }) => body.type === 'assistant_message')).toHaveLength(2);
    const path = join(store.home, 'a.html');
    await service.answer({ type: 'export', sessionId: bad.sessionId, format: 'html', path, known: [] }, () => {});
    expect(await readFile(path, 'utf8')).toContain('9999-01-01');
  });

  it('does not end the export of the audit', async () => {
    const insert = store.database.prepare(
      'INSERT INTO audit (request_id, session_id, body, body_hash, hash) VALUES (?, ?, ?, ?, ?)',
    );
    const bodies = ['no JSON', `${'['.repeat(9_000)}${']'.repeat(9_000)}`, '{"a":1}'];
    for (const body of bodies) insert.run(randomUUID(), startSession(store.journal).sessionId, body, '', '');
    const exported: unknown[] = [];
    for await (const line of store.audit.exportLines()) exported.push(JSON.parse(line).body);
    expect(exported).toEqual([bodies[0], bodies[1], { a: 1 }]);
  });
});
