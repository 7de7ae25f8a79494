import { describe, expect, it } from 'vitest';
import { parseSearch } from '../../../../src/main/sessions/search/query';

const NOW = new Date(2026, 10, 30, 12).getTime();
const day = (year: number, month: number, date = 1) => new Date(year, month - 1, date).getTime();
const parsed = (text: string) => {
  const result = parseSearch(text, NOW);
  if (!result.ok) throw new Error(result.problem);
  return result.query;
};
const problem = (text: string) => {
  const result = parseSearch(text, NOW);
  if (result.ok) throw new Error('it was understood');
  return result;
};

describe('what is typed into the search box', () => {
  it('is words, the last of them a beginning, and phrases in quotes', () => {
    expect(parsed('rotate inst* "the staging keys" no').terms).toEqual([
      { text: 'rotate', match: 'word' },
      { text: 'inst', match: 'prefix' },
      { text: 'the staging keys', match: 'phrase' },
      { text: 'no', match: 'prefix' },
    ]);
    expect(parsed('rotate ').terms).toEqual([{ text: 'rotate', match: 'word' }]);
    expect(parsed('"never closed').terms).toEqual([{ text: 'never closed', match: 'phrase' }]);
    expect(parsed('').terms).toEqual([]);
    expect(parsed('"" a').terms).toEqual([{ text: 'a', match: 'word' }]);
  });

  it('is filters, in any order and any number', () => {
    const query = parsed(
      'outcome:declined tool:shell label:network since:2026-03 curl agent:"release bot" state:failed',
    );
    expect(query).toMatchObject({
      outcomes: ['declined'],
      tools: ['shell'],
      labels: ['network'],
      agents: ['release bot'],
      states: ['failed'],
      since: day(2026, 3),
      until: null,
      terms: [{ text: 'curl', match: 'word' }],
    });
  });

  it.each([
    ['since:2026', day(2026, 1), null],
    ['since:2026-03-05', day(2026, 3, 5), null],
    ['until:2026-03', null, day(2026, 4)],
    ['until:2026-03-31', null, day(2026, 4)],
    ['on:2026-12', day(2026, 12), day(2027, 1)],
    ['since:7d', day(2026, 11, 23), null],
    ['since:2026 since:2026-02', day(2026, 2), null],
  ])('takes dates on the operator’s own clock: %s', (text, since, until) => {
    expect(parsed(text)).toMatchObject({ since, until });
  });

  it.each([
    ['colour:red', 0, /no filter "colour:".*outcome:/],
    ['curl outcome:maybe', 5, /"maybe" is no outcome.*declined/],
    ['state:busy', 0, /"busy" is no state.*waiting/],
    ['since:2026-02-31', 0, /"since:2026-02-31" is no date/],
    ['since:yesterday', 0, /no date/],
    ['tool: shell', 0, /"tool:" needs a value/],
  ])('names what it does not understand, and where: %s', (text, at, words) => {
    expect(problem(text)).toMatchObject({ at, problem: expect.stringMatching(words) });
  });

  it('takes an address for what it is, and a filter in quotes for text', () => {
    expect(parsed('https://example.org/a').terms).toEqual([{ text: 'https://example.org/a', match: 'prefix' }]);
    expect(parsed('"colour:red"').terms).toEqual([{ text: 'colour:red', match: 'phrase' }]);
    for (const odd of ['"', "'", '*', '-', '(', 'NEAR(', '\\', '%', '-- ;', ':', '::', '^']) parsed(odd);
  });
});
