import { beforeEach, expect, test } from 'vitest';
import { useHits } from '../../src/renderer/sessions/hits';
import { latest } from '../../src/renderer/sessions/latest';
import { lookFor } from '../../src/renderer/sessions/look-for';
import { useSessions } from '../../src/renderer/sessions/store';
import { FakeMain } from './harness/fake-main';
import { long } from './harness/scene-long';

/** What was asked, and what lets the first answer come that is still to come. */
const asked: { method: string; query: string }[] = [];
const waiting: (() => void)[] = [];

beforeEach(() => {
  const bridge = new FakeMain(long(1_800_000_000_000)).bridge();
  const later = async <T>(method: string, query: string, answer: () => Promise<T>): Promise<T> => {
    asked.push({ method, query });
    await new Promise<void>((resolve) => waiting.push(resolve));
    return answer();
  };
  const sayso = {
    ...bridge,
    listSessions: (input: Parameters<typeof bridge.listSessions>[0]) =>
      later('list', input.query, () => bridge.listSessions(input)),
    searchEvents: ({ query }: { readonly query: string }) =>
      later('search', query, async () => ({ ok: true, value: { kind: 'hits', hits: [], hasMore: false } })),
  };
  Object.assign(globalThis, { window: { sayso } });
  asked.length = 0;
});

const answerAll = () => {
  for (const answer of waiting.splice(0)) answer();
};

test('what is typed faster than it is answered is asked once more, for what then stands there', async () => {
  const text = 'Session number 9999';
  for (let length = 1; length <= text.length; length += 1) lookFor(text.slice(0, length));
  expect(useSessions.getState().typed).toBe(text);
  expect(asked).toEqual([
    { method: 'list', query: 'S' },
    { method: 'search', query: 'S' },
  ]);
  answerAll();
  await expect.poll(() => waiting.length).toBe(2);
  expect(asked.slice(2).map(({ query }) => query)).toEqual([text, text]);
  answerAll();
  await expect.poll(() => [useSessions.getState().query, useHits.getState().query]).toEqual([text, text]);
  expect(useSessions.getState().found).toHaveLength(1);
  expect(asked).toHaveLength(4);
});

test('what is typed slower than it is answered is asked at every letter, each list once', async () => {
  for (const typed of ['9', '99', '999']) {
    lookFor(typed);
    await expect.poll(() => waiting.length).toBe(2);
    answerAll();
    await expect.poll(() => [useSessions.getState().query, useHits.getState().query]).toEqual([typed, typed]);
  }
  expect(asked).toHaveLength(6);
});

test('one piece of work that fails does not keep the next from being done', async () => {
  const done: number[] = [];
  const work = latest(async (number: number) => {
    done.push(number);
    if (number === 1) throw new Error('no');
  });
  const failed = new Promise((resolve) => process.once('unhandledRejection', resolve));
  work(1);
  await failed;
  work(2);
  expect(done).toEqual([1, 2]);
});
