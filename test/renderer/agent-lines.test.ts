import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { AgentsOverTime, costWords } from '../../src/renderer/statistics/AgentsOverTime';
import { agentLines } from '../../src/renderer/statistics/agent-lines';
import type { AgentDayFigures } from '../../src/shared/statistics';

const NOW = new Date(2026, 2, 31, 9, 30).getTime();
const spent = (agent: string, day: string, tokens: number, costUsd: number | null = null): AgentDayFigures => ({
  agent,
  day,
  tokens,
  costUsd,
});
/** What is read aloud, and what is pointed at. */
const drawn = (days: readonly AgentDayFigures[], count = 7) =>
  renderToStaticMarkup(createElement(AgentsOverTime, { days, count, now: NOW }));

describe('what each agent spent over time', () => {
  test('has a line an agent, those that spent most first, all to one scale', () => {
    const { measure, lines, most, more } = agentLines(
      [
        spent('small', '2026-03-30', 900_000, 0.25),
        spent('big', '2026-03-30', 10, 1),
        spent('big', '2026-03-31', 10, 0.5),
        spent('unpriced', '2026-03-31', 2_000_000),
      ],
      7,
      NOW,
    );
    expect({ measure, most, more }).toEqual({ measure: 'cost', most: 1, more: 0 });
    expect(lines.map(({ agent, total, peak }) => [agent, total, peak?.name])).toEqual([
      ['big', 1.5, '30 Mar'],
      ['small', 0.25, '30 Mar'],
      ['unpriced', null, undefined],
    ]);
    expect(lines.map(({ buckets }) => buckets.length)).toEqual([7, 7, 7]);
  });

  test('is their tokens where nothing had a price, or all of it was free', () => {
    for (const cost of [null, 0]) {
      const { measure, most } = agentLines([spent('a', '2026-03-30', 300, cost)], 30, NOW);
      expect({ measure, most }).toEqual({ measure: 'tokens', most: 300 });
    }
    expect(drawn([spent('a', '2026-03-30', 300)])).toContain('aria-label="Tokens of each agent"');
  });

  test('draws nothing where nothing was spent, eight at most, and weeks over a year', () => {
    expect(drawn([])).toBe('');
    const many = Array.from({ length: 11 }, (_, index) => spent(`agent ${index}`, '2026-03-31', index + 1));
    const markup = drawn(many, 365);
    expect(markup.match(/<li>/g)).toHaveLength(8);
    expect(markup).toContain('3 agents');
    expect(markup).toContain('agent 10');
    expect(markup).not.toContain('agent 2<');
    expect(markup.match(/class="day"/g)).toHaveLength(8 * 53);
  });

  test('tells an unknown cost from none, and the highest day in words', () => {
    expect(costWords({ costUsd: null, tokens: 0 })).toBe('$0.00');
    expect(costWords({ costUsd: null, tokens: 5 })).toBe('cost unknown');
    const markup = drawn([spent('a', '2026-03-30', 10, 2), spent('b', '2026-03-30', 10)]);
    expect(markup).toContain('most on 30 Mar: $2.00');
    expect(markup).toContain('cost unknown');
    expect(markup).toContain('title="30 Mar: cost unknown"');
  });
});
