import { join } from 'node:path';
import type { SessionId } from '@shared/ids';
import { DATABASE_FILE } from '../../src/main/sessions/database';
import type { StoreWorker } from '../../src/main/sessions/worker/store-worker';
import { fillBigStore } from '../support/big-store';
import { wordOf } from '../support/chance';
import { openStore, type Store } from '../support/store';
import { buildStoreWorker } from '../support/store-worker';

/** One number of the benchmark, in milliseconds, and what it must not be more than. */
export interface Figure {
  readonly name: string;
  readonly ms: number;
  readonly limitMs: number;
}

/** What is typed into the search box, of every kind that there is: rare, common, filtered, a few letters. */
const QUERIES = [
  `${wordOf(18_999)} `,
  `${wordOf(1)} `,
  `${wordOf(0)} ${wordOf(1)} `,
  `"${wordOf(0)} ${wordOf(1)}"`,
  'p',
  'pr',
  'pro',
  'prod',
  `${wordOf(11)}`,
  'outcome:declined',
  'outcome:declined curl ',
  'outcome:declined tool:shell label:network since:2026-03 curl ',
  `agent:triage ${wordOf(2)} `,
  `agent:nobody ${wordOf(0)} `,
  `state:failed ${wordOf(0)} `,
  `since:3d ${wordOf(0)} `,
  `until:2020 ${wordOf(0)} `,
  `on:2026-03-10 ${wordOf(4)} `,
  'tool:edit_file git ',
  'label:network terraform ',
];

/** A store of 1,000,000 events, 10,000 sessions, and one of 337,351 events among them. */
export async function benchStore(say: (line: string) => void): Promise<Figure[]> {
  const store = await openStore();
  const built = await buildStoreWorker();
  const worker = built.open(join(store.home, DATABASE_FILE));
  try {
    const began = performance.now();
    const long = fillBigStore(store.database, { events: 1_000_000, longSession: 337_351, sessions: 10_000 });
    store.database.pragma('wal_checkpoint(TRUNCATE)');
    say(`filled in ${Math.round(performance.now() - began)} ms`);
    return [...pages(store, long), ...lists(store), ...(await searches(worker, say))];
  } finally {
    await worker.close();
    await built.remove();
    await store.close();
  }
}

function pages(store: Store, sessionId: SessionId): Figure[] {
  const first = time(() => store.reader.events({ sessionId, from: { at: 'end' }, limit: 500 }));
  const { events } = store.reader.events({ sessionId, from: { at: 'end' }, limit: 500 });
  let seq = events[0]?.seq ?? 0;
  const back = Array.from({ length: 40 }, () =>
    time(() => {
      const page = store.reader.events({ sessionId, from: { at: 'before', seq }, limit: 500 });
      seq = page.events[0]?.seq ?? seq;
    }),
  );
  return [
    { name: 'first page of a session of 337,351 events', ms: first, limitMs: 500 },
    { name: 'a page further back, p95', ms: percentile(back, 0.95), limitMs: 50 },
  ];
}

function lists(store: Store): Figure[] {
  const first = Array.from({ length: 20 }, () => time(() => store.reader.list({ query: '', limit: 200, after: null })));
  let after: SessionId | null = null;
  const all: number[] = [];
  for (let more = true; more; ) {
    all.push(
      time(() => {
        const page = store.reader.list({ query: '', limit: 200, after });
        after = page.sessions.at(-1)?.id ?? null;
        more = page.hasMore;
      }),
    );
  }
  return [
    { name: 'a page of the list, p95', ms: percentile(first, 0.95), limitMs: 50 },
    { name: 'every page of a list of 10,000 sessions, the slowest', ms: Math.max(...all), limitMs: 50 },
  ];
}

async function searches(worker: StoreWorker, say: (line: string) => void): Promise<Figure[]> {
  const find = (query: string) => worker.ask('search', { input: { query, limit: 50, before: null } });
  const list = (query: string) => worker.ask('list', { input: { query, limit: 200, after: null } });
  await find('warm');
  const found: number[] = [];
  const listed: number[] = [];
  for (const query of QUERIES) {
    const each: number[] = [];
    for (let round = 0; round < 10; round += 1) each.push(await timeAsync(() => find(query)));
    const lists: number[] = [];
    for (let round = 0; round < 5; round += 1) lists.push(await timeAsync(() => list(query)));
    say(
      `${query.padEnd(66)} hits ${percentile(each, 0.5).toFixed(1)} ms, list ${percentile(lists, 0.5).toFixed(1)} ms`,
    );
    found.push(...each);
    listed.push(...lists);
  }
  return [
    { name: 'the first fifty hits of a search, p95', ms: percentile(found, 0.95), limitMs: 50 },
    { name: 'the list of 10,000 sessions filtered as one types, p95', ms: percentile(listed, 0.95), limitMs: 100 },
  ];
}

function time(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

async function timeAsync(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}
