import { join } from 'node:path';
import type { SessionSummary } from '@shared/sessions';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { notificationText } from '../../src/main/desktop/notification-text';
import { DATABASE_FILE } from '../../src/main/sessions/database';
import { StoreService } from '../../src/main/sessions/worker/store-service';
import { forge } from '../support/forged-file';
import { approval, openStore, rememberable, type Store, startSession } from '../support/store';

const LONG = 'x'.repeat(5_000_000);
const REORDERED = 'Approved \u202e\u2066 by Sayso\nand by you';
/** What hides or reorders, and what begins another line. */
const UNSEEN = /[\u202a-\u202e\u2066-\u2069\n]/u;

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

async function takeIn(session: Partial<SessionSummary>): Promise<void> {
  const path = join(store.home, 'a.jsonl');
  await forge(path, { session });
  await service.answer({ type: 'import', path }, () => {});
}
const listed = () => store.reader.list({ query: '', limit: 10, after: null }).sessions;
const forkOf = (title: string): Partial<SessionSummary> => {
  const { sessionId } = startSession(store.journal);
  return { origin: { kind: 'fork', sessionId, title, seq: 1 } };
};

it('a file brings only short words into a list', async () => {
  await takeIn({ title: LONG, agent: LONG, detail: LONG, ...forkOf(LONG) });
  expect(listed()).toHaveLength(2);
  expect(JSON.stringify(listed()).length).toBeLessThan(3_000);
});

it.each(['agentId', 'workspace', 'model'] as const)(
  'a file with a value of %s that nothing has is refused',
  async (key) => {
    await expect(takeIn({ [key]: LONG })).rejects.toThrow(/^Line 1 .*Nothing was taken in/);
  },
);

it('words that an older Sayso took in at any length are shown in part', () => {
  const { sessionId } = startSession(store.journal);
  store.database.prepare('UPDATE sessions SET title = ?, detail = title WHERE id = ?').run(LONG, sessionId);
  expect(JSON.stringify(listed()).length).toBeLessThan(10_000);
});

it('nothing in the words of a file is unseen, reorders or begins another line', async () => {
  await takeIn({ title: REORDERED, agent: REORDERED, detail: REORDERED, ...forkOf(REORDERED) });
  const words = listed().flatMap(({ title, agent, detail, origin }) => [title, agent, detail, origin?.title ?? '']);
  expect(words.filter((text) => UNSEEN.test(text))).toEqual([]);
});

it('a notification shows what is unseen in a title, and keeps it on one line', () => {
  const ref = startSession(store.journal);
  const request = { ...approval(ref, rememberable()), sessionTitle: REORDERED };
  for (const platform of ['linux', 'darwin'] as const) {
    expect(notificationText(request, platform).title).toMatch(/^Approved ⟦U\+202E⟧⟦U\+2066⟧ by Sayso and by you: /);
  }
});
