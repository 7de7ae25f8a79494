import { Outcome, RunState } from '@shared/states';

/** What is looked for, after the filters were taken out of what was typed. */
export interface SearchQuery {
  readonly terms: readonly SearchTerm[];
  readonly agents: readonly string[];
  readonly tools: readonly string[];
  readonly labels: readonly string[];
  readonly outcomes: readonly Outcome[];
  readonly states: readonly RunState[];
  /** Milliseconds since the epoch: not before this, and before that. */
  readonly since: number | null;
  readonly until: number | null;
}

/** A word, the beginning of one, or several words in just this order. */
export interface SearchTerm {
  readonly text: string;
  readonly match: 'word' | 'prefix' | 'phrase';
}

export type ParsedQuery =
  | { readonly ok: true; readonly query: SearchQuery }
  /** What cannot be understood, in words for the operator; `at` is where it stands in the text. */
  | { readonly ok: false; readonly at: number; readonly problem: string };

const FILTERS = ['agent', 'state', 'tool', 'outcome', 'label', 'since', 'until', 'on'] as const;
type Filter = (typeof FILTERS)[number];

/** `key:value`, `key:"a value"`, `"a phrase"` or a word. A quote that is never closed reaches to the end. */
const PART = /([a-z]+):(?=\s|$)|(?:([a-z]+):)?(?:"([^"]*)(?:"|$)|([^\s"]+))/giu;

/**
 * Parses what was typed into the search box: words, `"phrases"`, beginnings (`inst*`, and the word that is typed last),
 * and the filters agent:, state:, tool:, outcome:, label:, since:, until: and on:. Pure, but for the time that it is given.
 * @param now for days that are counted back from today
 */
export function parseSearch(text: string, now: number): ParsedQuery {
  const terms: SearchTerm[] = [];
  const values: Record<Filter, { value: string; at: number }[]> = {
    agent: [],
    state: [],
    tool: [],
    outcome: [],
    label: [],
    since: [],
    until: [],
    on: [],
  };
  for (const found of text.matchAll(PART)) {
    const [whole, lonely, key, quoted, bare] = found;
    const at = found.index;
    if (lonely !== undefined) {
      const name = lonely.toLowerCase();
      if (isFilter(name)) return { ok: false, at, problem: `"${name}:" needs a value right after it.` };
      terms.push({ text: whole, match: 'word' });
    } else if (key === undefined || isAddress(bare)) {
      const term = termOf(whole, quoted, bare, at + whole.length === text.length);
      if (term !== null) terms.push(term);
    } else {
      const name = key.toLowerCase();
      if (!isFilter(name)) {
        const known = FILTERS.map((filter) => `${filter}:`).join(', ');
        return {
          ok: false,
          at,
          problem: `There is no filter "${name}:". There are ${known}. To look for the text itself, put it in quotes.`,
        };
      }
      values[name].push({ value: quoted ?? bare ?? '', at });
    }
  }
  const filtered = FILTERS.some((name) => values[name].length > 0);
  // Something was typed, and there is nothing in it to look for: that finds nothing, not everything.
  if (terms.length === 0 && !filtered && text.trim() !== '') terms.push({ text: text.trim(), match: 'phrase' });
  return assemble(terms, values, now);
}

function isFilter(name: string): name is Filter {
  return (FILTERS as readonly string[]).includes(name);
}

/** `https://...` is something to look for, not a filter. */
function isAddress(value: string | undefined): boolean {
  return value?.startsWith('//') === true;
}

function termOf(whole: string, quoted: string | undefined, bare: string | undefined, last: boolean): SearchTerm | null {
  if (quoted !== undefined) return quoted.trim() === '' ? null : { text: quoted.trim(), match: 'phrase' };
  if (bare === undefined) return null;
  const prefix = whole.endsWith('*');
  const text = prefix ? whole.slice(0, -1) : whole;
  if (text === '') return null;
  // A single letter begins half of all words: it is a word until there is more of it.
  return { text, match: prefix || (last && text.length > 1) ? 'prefix' : 'word' };
}

function assemble(
  terms: readonly SearchTerm[],
  values: Readonly<Record<Filter, readonly { readonly value: string; readonly at: number }[]>>,
  now: number,
): ParsedQuery {
  const states: RunState[] = [];
  for (const { value, at } of values.state) {
    const state = RunState.safeParse(value.toLowerCase());
    if (!state.success) return unknownValue(at, 'state', value, RunState.options);
    states.push(state.data);
  }
  const outcomes: Outcome[] = [];
  for (const { value, at } of values.outcome) {
    const outcome = Outcome.safeParse(value.toLowerCase());
    if (!outcome.success) return unknownValue(at, 'outcome', value, Outcome.options);
    outcomes.push(outcome.data);
  }
  let since: number | null = null;
  let until: number | null = null;
  for (const name of ['since', 'until', 'on'] as const) {
    for (const { value, at } of values[name]) {
      const span = parseDate(value, now);
      if (span === null) {
        const problem = `"${name}:${value}" is no date. Write a year, 2026-03, 2026-03-31, or 7d for seven days back.`;
        return { ok: false, at, problem };
      }
      if (name !== 'until') since = Math.max(since ?? 0, span.from);
      if (name !== 'since') until = Math.min(until ?? Number.MAX_SAFE_INTEGER, span.to);
    }
  }
  const [agents, tools, labels] = [values.agent, values.tool, values.label].map((list) =>
    list.map(({ value }) => value),
  );
  return {
    ok: true,
    query: { terms, agents: agents ?? [], tools: tools ?? [], labels: labels ?? [], outcomes, states, since, until },
  };
}

function unknownValue(at: number, name: string, value: string, options: readonly string[]): ParsedQuery {
  return { ok: false, at, problem: `"${value}" is no ${name}. There are ${options.join(', ')}.` };
}

/** The time that a date names, on the operator's own clock: from its first moment to just before the next. */
function parseDate(text: string, now: number): { readonly from: number; readonly to: number } | null {
  const back = /^(\d{1,4})d$/u.exec(text);
  if (back !== null) {
    const today = new Date(now);
    const from = new Date(today.getFullYear(), today.getMonth(), today.getDate() - Number(back[1])).getTime();
    return { from, to: Number.MAX_SAFE_INTEGER };
  }
  const parts = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/u.exec(text);
  if (parts === null) return null;
  const [year, month, day] = [Number(parts[1]), Number(parts[2] ?? 1) - 1, Number(parts[3] ?? 1)];
  const from = new Date(year, month, day);
  // The calendar would take the 31st of April for the 1st of May.
  if (year < 1970 || from.getMonth() !== month || from.getDate() !== day) return null;
  const to =
    parts[3] !== undefined
      ? new Date(year, month, day + 1)
      : parts[2] !== undefined
        ? new Date(year, month + 1, 1)
        : new Date(year + 1, 0, 1);
  return { from: from.getTime(), to: to.getTime() };
}
