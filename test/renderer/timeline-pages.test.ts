import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventsOf, KEPT, PAGE } from '../../src/renderer/timeline/pages';
import { follow, loadMore, takeEvents } from '../../src/renderer/timeline/paging';
import { useTimelines } from '../../src/renderer/timeline/state';
import { goToEvent, openNewest, openOldest, retry, watch } from '../../src/renderer/timeline/visits';
import type { BridgeInput, BridgeOutput, SaysoBridge } from '../../src/shared/bridge';
import type { JournalEvent } from '../../src/shared/events';
import { SessionId } from '../../src/shared/ids';
import * as body from './harness/bodies';
import { FakeMain } from './harness/fake-main';
import { emptyWorld, Journal, uuid } from './harness/world';

const ID = SessionId.parse(uuid(1));
const EVENTS = 20_000;

let main: FakeMain;
let journal: Journal;
let reads: number;
let fails: boolean;

/** A session of 20,000 events: a thousand turns and more, each of a reply, a call and its result. */
beforeEach(async () => {
  const world = emptyWorld();
  journal = new Journal(1, 1_800_000_000_000);
  journal.add(body.started(), { type: 'user_message', text: 'Go through everything.' });
  for (let turn = 1; journal.events.length < EVENTS; turn += 1) {
    const call = `c${turn}`;
    journal.add(
      body.said(turn, body.text(`Turn ${turn}`), body.use(call, 'run_command', { argv: ['cat'] })),
      body.run(turn, call, ['cat']),
      body.ran(turn, call, 'cat', `content of ${turn}\n`, 12),
    );
  }
  world.events = journal.events;
  main = new FakeMain(world);
  reads = 0;
  fails = false;
  const bridge = main.bridge();
  const readEvents: SaysoBridge['readEvents'] = (input) => {
    reads += 1;
    const refused = { code: 'failed', message: 'the disk is gone' } as const;
    return Promise.resolve(fails ? { ok: false, error: refused } : { ok: true, value: page(input) });
  };
  Object.assign(globalThis, { window: { sayso: { ...bridge, readEvents } } });
  await watch([ID]);
  await expect.poll(() => timeline().status).toBe('ready');
});
afterEach(async () => {
  follow(ID, 'followed');
  await watch([]);
});

const timeline = () => {
  const state = useTimelines.getState()[ID];
  if (state === undefined) throw new Error('it is not open');
  return state;
};
const seqs = () => eventsOf(timeline().pages).map(({ seq }) => seq);
const first = () => seqs()[0] ?? 0;
const last = () => seqs().at(-1) ?? 0;
const oldest = () => journal.events[0]?.seq ?? 0;
const newest = () => journal.events.at(-1)?.seq ?? 0;
const middle = () =>
  journal.events.find(({ seq, body }) => seq > oldest() + 10_000 && body.type === 'assistant_message')?.seq ?? 0;

/** What the main process would answer; of 20,000 events it finds a page without looking at the others. */
function page({ from, limit }: BridgeInput<'readEvents'>): BridgeOutput<'readEvents'> {
  const { events } = journal;
  const at = from.at === 'end' ? events.length : Math.max(-1, from.seq - oldest());
  if (from.at === 'after') {
    const end = at + 1 + limit;
    return { events: events.slice(at + 1, end), hasMore: end < events.length };
  }
  const begin = Math.max(0, at - limit);
  return { events: events.slice(begin, at), hasMore: begin > 0 };
}

function happens(...bodies: Record<string, unknown>[]): JournalEvent[] {
  const before = journal.events.length;
  journal.add(...bodies);
  return journal.events.slice(before);
}

/** What is loaded is a stretch of the journal without a gap, and no longer than it may be. */
function expectBounded(): void {
  const loaded = seqs();
  const from = loaded[0] ?? 0;
  expect(loaded.every((seq, index) => seq === from + index)).toBe(true);
  expect(loaded.length).toBeLessThan(KEPT + 4 * PAGE);
  expect(timeline().pages.length).toBeLessThan(KEPT / PAGE + 5);
  expect(timeline().folded.entries.length).toBeLessThanOrEqual(loaded.length);
  expect(timeline().hasOlder).toBe(from > oldest());
  expect(timeline().hasNewer).toBe(last() < newest());
}

describe('a session of 20,000 events', () => {
  test('holds some pages, however far one scrolls in it, and every event comes by', async () => {
    const seen = new Set(seqs());
    while (timeline().hasOlder) {
      await loadMore(ID, 'older');
      expectBounded();
      for (const seq of seqs()) seen.add(seq);
    }
    expect(first()).toBe(oldest());
    expect(seen.size).toBe(journal.events.length);
    expect(reads).toBeLessThanOrEqual(Math.ceil(EVENTS / PAGE) + 1);
    while (timeline().hasNewer) {
      await loadMore(ID, 'newer');
      expectBounded();
    }
    expect(last()).toBe(newest());
  });

  test('opens at an event in its middle with two reads, and goes to each end with one', async () => {
    reads = 0;
    const { visit, window } = timeline();
    goToEvent(ID, middle());
    await expect.poll(() => timeline().visit).toBe(visit + 1);
    expect(reads).toBe(2);
    expect(timeline()).toMatchObject({ window: window + 1, hasOlder: true, hasNewer: true });
    const { place } = timeline();
    expect(timeline().folded.entries.some(({ key }) => typeof place !== 'string' && key === place.entry)).toBe(true);
    expectBounded();
    goToEvent(ID, middle());
    expect(reads).toBe(2);
    expect(timeline()).toMatchObject({ visit: visit + 2, window: window + 1 });
    openNewest(ID);
    await expect.poll(() => timeline().visit).toBe(visit + 3);
    expect(reads).toBe(3);
    expect(timeline().place).toBe('end');
    expect(last()).toBe(newest());
    await openOldest(ID);
    expect(reads).toBe(4);
    expect(timeline()).toMatchObject({ place: 'start', hasOlder: false, hasNewer: true });
    expect(first()).toBe(oldest());
    expectBounded();
    openNewest(ID);
    await expect.poll(() => timeline().place).toBe('end');
    expect(last()).toBe(newest());
    expectBounded();
  });

  test('lets go of what is old while the reader follows what happens', async () => {
    for (let number = 0; number < 3_000; number += 1) {
      takeEvents(happens({ type: 'user_message', text: `${number}` }));
      if (number % 300 === 0) expectBounded();
    }
    expectBounded();
    expect(last()).toBe(newest());
    expect(timeline().folded.entries.at(-1)).toMatchObject({ kind: 'user', text: '2999' });
  });

  test('keeps what the reader looks at while something happens, and has what is new when they come to it', async () => {
    await loadMore(ID, 'older');
    const place = first();
    follow(ID, 'left');
    for (let number = 0; number < 3_000; number += 1) takeEvents(happens({ type: 'user_message', text: `${number}` }));
    expect(first()).toBe(place);
    expectBounded();
    expect(timeline().hasNewer).toBe(true);
    while (timeline().hasNewer) await loadMore(ID, 'newer');
    expect(last()).toBe(newest());
    follow(ID, 'followed');
    takeEvents(happens({ type: 'user_message', text: 'and more' }));
    expect(timeline().folded.entries.at(-1)).toMatchObject({ text: 'and more' });
    expectBounded();
  });

  test('shows each entry as it was while pages come beside it: what did not change is not drawn again', async () => {
    const before = timeline().folded.entries.slice(5);
    await loadMore(ID, 'older');
    const after = new Set(timeline().folded.entries);
    expect(before.every((entry) => after.has(entry))).toBe(true);
  });

  test('drops a page that comes when the reader is somewhere else by then', async () => {
    const coming = loadMore(ID, 'older');
    goToEvent(ID, middle());
    await coming;
    await expect.poll(() => seqs().includes(middle())).toBe(true);
    expectBounded();
    await loadMore(ID, 'older');
    expectBounded();
  });

  test('says what went wrong, reads nothing more by itself, and goes on when asked to', async () => {
    fails = true;
    await loadMore(ID, 'older');
    expect(timeline()).toMatchObject({ problem: 'the disk is gone', status: 'ready', loading: null, hasOlder: true });
    fails = false;
    retry(ID);
    expect(timeline().problem).toBe('');
    await loadMore(ID, 'older');
    expectBounded();
  });
});
