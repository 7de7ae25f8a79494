import { describe, expect, test } from 'vitest';
import { groupSessions } from '../../src/renderer/sessions/group';
import { stayWords } from '../../src/renderer/sessions/words';
import { quoted, readArguments, readResult } from '../../src/renderer/timeline/result';
import * as format from '../../src/renderer/ui/format';
import { paragraphs } from '../../src/renderer/ui/paragraphs';
import { oneLine, terminalText, visible } from '../../src/renderer/ui/text';
import { session } from './harness/world';

describe('times and amounts', () => {
  test.each([
    [-5, '0:00'],
    [400, '0:00'],
    [120_900, '2:00'],
    [42_000, '0:42'],
    [118_000, '1:58'],
    [3_661_000, '1:01:01'],
  ])('%i ms left is %s', (ms, text) => expect(format.timeLeft(ms)).toBe(text));

  test.each([
    [4, '4 ms'],
    [1_234, '1.2 s'],
    [31_000, '31s'],
    [252_000, '4m 12s'],
    [7_500_000, '2h 05m'],
  ])('%i ms took %s', (ms, text) => expect(format.took(ms)).toBe(text));

  test.each([
    [0, '0'],
    [999, '999'],
    [1_000, '1k'],
    [48_210, '48.2k'],
    [480_000, '480k'],
    [1_250_000, '1.25M'],
  ])('%i tokens are %s', (count, text) => expect(format.tokens(count)).toBe(text));

  test.each([
    [null, 'cost unknown'],
    [0, '$0.00'],
    [0.004, '<$0.01'],
    [1.184, '$1.18'],
  ])('%s dollars are %s', (usd, text) => expect(format.cost(usd)).toBe(text));

  test.each([
    [1, '1 byte'],
    [2_048, '2 KiB'],
    [5_432_100, '5.2 MiB'],
  ])('%i bytes are %s', (count, text) => expect(format.bytes(count)).toBe(text));

  test.each([
    [90_000, '90 s'],
    [300_000, '5 min'],
    [3_600_000, '1 h'],
  ])('a limit of %i ms is %s', (ms, text) => expect(format.limit(ms)).toBe(text));
});

describe('text of others', () => {
  test.each([
    ['plain ünïcode 👩‍👩‍👧', 'plain ünïcode 👩‍👩‍👧'],
    ['a\u202eb', 'a⟦U+202E⟧b'],
    ['a\u200bb\u0000c\u{e0041}', 'a⟦U+200B⟧b⟦U+0000⟧c⟦U+E0041⟧'],
    ['two\nlines\tand a tab', 'two\nlines\tand a tab'],
  ])('%j shows as %j', (text, shown) => expect(visible(text)).toBe(shown));

  test('is one line where there is room for one', () => {
    expect(oneLine(' a\r\n b\u202e ')).toBe('a b⟦U+202E⟧');
  });

  test('out of a terminal loses its colours and keeps its words', () => {
    expect(terminalText('\u001b[31mred\u001b[0m\r\n10%\r20%\u001b]0;title\u0007')).toBe('red\n10%\n20%');
    expect(terminalText('\u0008')).toBe('⟦U+0008⟧');
  });
});

describe('what a call gave back', () => {
  test('a command’s output stands by itself', () => {
    const result = { command: 'ls', exit_code: 2, output: 'a\n', truncated: true };
    const read = { is: 'command', exitCode: 2, output: 'a\n', truncated: true };
    expect(readResult(JSON.stringify(result), null)).toEqual({ ...read, note: '' });
    const noted = JSON.stringify({ ...result, sandbox_note: 'Refused.' });
    expect(readResult(noted, null)).toEqual({ ...read, note: 'Refused.' });
  });

  test.each([
    ['{"a":1}', '{\n  "a": 1\n}'],
    ['{"a":', '{"a":'],
    ['just text', 'just text'],
  ])('%s is text', (content, text) => expect(readResult(content, null)).toEqual({ is: 'text', text }));

  test('arguments are read row by row, and what is no object is not', () => {
    expect(readArguments('{"path":"a","n":1,"list":["x"]}')).toEqual([
      { name: 'path', value: 'a' },
      { name: 'n', value: '1' },
      { name: 'list', value: '["x"]' },
    ]);
    expect(readArguments('')).toEqual([]);
    expect(readArguments('[1]')).toBeNull();
    expect(readArguments('{"broken')).toBeNull();
  });
});

test('a command is quoted for a shell word by word', () => {
  expect(quoted(['git', 'commit', '-m', "it's new", '', '$HOME'])).toBe(`git commit -m 'it'\\''s new' '' '$HOME'`);
});

describe('streaming prose', () => {
  test.each([
    ['one paragraph', ['one paragraph']],
    ['one\n\ntwo', ['one\n\n', 'two']],
    ['```\na\n\nb\n```\n\nafter', ['```\na\n\nb\n```\n\n', 'after']],
    ['- a\n\n- b\n\n  more', ['- a\n\n- b\n\n  more']],
    ['````\n```\n\nx\n````', ['````\n```\n\nx\n````']],
  ])('%j is cut into %j', (text, parts) => {
    expect(
      paragraphs(text)
        .map((part) => part.replace(/\n$/, ''))
        .map((part, n, all) => (n < all.length - 1 ? `${part}\n` : part)),
    ).toEqual(parts);
    expect(paragraphs(text).join('')).toBe(`${text}\n`);
  });
});

test('what stays of a deleted session is said as far as there is any of it', () => {
  expect(stayWords({ forks: 0, aside: [] })).toEqual(['Exports and backups that you made are not touched.']);
  expect(stayWords({ forks: 2, aside: ['sayso.sqlite.damaged-1'] })).toEqual([
    '2 forks keep a copy of what they took over, and their titles.',
    'Exports and backups that you made are not touched.',
    '1 older store in the data folder may hold it, too: sayso.sqlite.damaged-1.',
  ]);
});

describe('the list of sessions', () => {
  const now = new Date(2026, 10, 30, 15, 0).getTime();
  const hour = 3_600_000;
  const list = [
    session(1, now, { updatedAt: now - 2 * hour }),
    session(2, now, { updatedAt: now - hour }),
    session(3, now, { updatedAt: now - 20 * hour }),
    session(4, now, { updatedAt: now - 100 * hour }),
    session(5, now, { state: 'waiting', openRequests: 1, nextExpiryAt: now + 9_000 }),
    session(6, now, { state: 'waiting', openRequests: 1, nextExpiryAt: now + 5_000 }),
    session(7, now, { state: 'acting', createdAt: now - hour }),
    session(8, now, { state: 'thinking', createdAt: now - 1_000 }),
  ];
  const shown = groupSessions(list, now, true).map((row) => (row.kind === 'group' ? row.name : row.session.title));

  test('is grouped by need, the most urgent and the newest first', () => {
    expect(shown).toEqual([
      ...['Needs you', 'Session 6', 'Session 5'],
      ...['Working', 'Session 8', 'Session 7'],
      ...['Today', 'Session 2', 'Session 1'],
      ...['Yesterday', 'Session 3'],
      ...['Earlier', 'Session 4'],
    ]);
  });

  test('says with its last group that there are more', () => {
    const groups = groupSessions(list, now, true).filter((row) => row.kind === 'group');
    expect(groups.filter((row) => row.more).map((row) => row.name)).toEqual(['Earlier']);
  });

  test('of ten thousand is grouped within a frame', () => {
    const many = Array.from({ length: 10_000 }, (_, n) => ({
      ...(list[n % 4] ?? session(9, now, {})),
      updatedAt: now - n,
    }));
    const times = Array.from({ length: 5 }, () => {
      const start = performance.now();
      groupSessions(many, now, false);
      return performance.now() - start;
    });
    expect(Math.min(...times)).toBeLessThan(40);
  });
});
