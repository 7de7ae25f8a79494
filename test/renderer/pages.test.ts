import { describe, expect, test } from 'vitest';
import {
  bounded,
  eventsOf,
  KEPT,
  PAGE,
  type Pages,
  withFresh,
  withNewer,
  withOlder,
} from '../../src/renderer/timeline/pages';
import type { JournalEvent } from '../../src/shared/events';
import { Journal } from './harness/world';

const said = (from: number, count: number): JournalEvent[] =>
  Array.from({ length: count }, (_, index) => {
    const [event] = new Journal(1, 1_800_000_000_000).add({ type: 'user_message', text: `${from + index}` }).events;
    if (event === undefined) throw new Error('nothing');
    return { ...event, seq: from + index };
  });
const seqs = (pages: Pages) => eventsOf(pages).map(({ seq }) => seq);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('the loaded part of a journal', () => {
  test('keeps as many events as it must, and lets go of whole pages at the other end', () => {
    let pages: Pages = [said(10_001, PAGE)];
    let dropped = false;
    for (let from = 10_001 - PAGE; from > 1; from -= PAGE) {
      ({ pages, dropped } = withOlder(pages, said(from, PAGE)));
      const count = eventsOf(pages).length;
      expect(count).toBeLessThan(KEPT + PAGE);
      expect(dropped).toBe(from <= 10_001 - KEPT);
      expect(seqs(pages)).toEqual(range(from, from + count - 1));
    }
    for (let from = (seqs(pages).at(-1) ?? 0) + 1; from < 10_000; from += PAGE) {
      ({ pages, dropped } = withNewer(pages, said(from, PAGE)));
      expect(eventsOf(pages).length).toBeLessThan(KEPT + PAGE);
      expect(dropped).toBe(true);
      expect(seqs(pages).at(-1)).toBe(from + PAGE - 1);
    }
  });

  test('grows by pages while something happens, so that the oldest can go', () => {
    let pages: Pages = [said(1, 10)];
    for (let seq = 11; seq <= 5_000; seq += 7) {
      pages = bounded(withFresh(pages, said(seq, 7)), 'followed').pages;
      expect(eventsOf(pages).length).toBeLessThan(KEPT + 2 * PAGE);
      expect(seqs(pages).at(-1)).toBe(seq + 6);
    }
    expect(seqs(pages)[0]).toBeGreaterThan(1);
  });

  test('keeps what streams as one event, however long, and lets go of it when all of it is there', () => {
    const journal = new Journal(1, 1_800_000_000_000);
    journal.add({ type: 'model_started', turn: 1, attempt: 1 });
    let pages: Pages = [journal.events.slice()];
    for (let piece = 0; piece < 3_000; piece += 1) {
      const before = journal.events.length;
      journal.add({ type: 'model_delta', turn: 1, attempt: 1, kind: 'text', text: 'a' });
      pages = withFresh(pages, journal.events.slice(before));
    }
    expect(eventsOf(pages)).toHaveLength(2);
    expect(eventsOf(pages).at(-1)?.body).toMatchObject({ text: 'a'.repeat(3_000) });
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: null };
    const blocks = [{ type: 'text', text: 'a'.repeat(3_000) }];
    journal.add({ type: 'assistant_message', turn: 1, blocks, stopReason: 'end_turn', usage });
    pages = withFresh(pages, journal.events.slice(-1));
    expect(eventsOf(pages).map(({ body }) => body.type)).toEqual(['model_started', 'assistant_message']);
  });
});
