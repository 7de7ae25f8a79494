import type { AgentDayFigures } from '@shared/statistics';
import { type Bucket, bucketsOf, NOTHING, totalOf } from './buckets';

/** More lines than these are no chart any more, and the table has them all. */
const MOST_LINES = 8;

export type Measure = 'cost' | 'tokens';

export interface AgentLine {
  readonly agent: string;
  readonly buckets: readonly Bucket[];
  /** null where no price is known for any of it. */
  readonly total: number | null;
  /** Where it spent most; null where it spent nothing that can be counted. */
  readonly peak: Bucket | null;
}

interface AgentLines {
  /** Cost, where any agent had a known one. */
  readonly measure: Measure;
  /** Those that spent most first. */
  readonly lines: readonly AgentLine[];
  /** How many more there are. */
  readonly more: number;
  /** The highest value of any agent in any bucket of those that are drawn. */
  readonly most: number;
}

/** What each agent spent in each of the last `count` days, or weeks. Pure. */
export function agentLines(days: readonly AgentDayFigures[], count: number, now: number): AgentLines {
  const measure: Measure = days.some(({ costUsd }) => (costUsd ?? 0) > 0) ? 'cost' : 'tokens';
  const value = ({ costUsd, tokens }: Pick<Bucket, 'costUsd' | 'tokens'>) => (measure === 'cost' ? costUsd : tokens);
  const byAgent = new Map<string, AgentDayFigures[]>();
  for (const day of days) {
    const list = byAgent.get(day.agent);
    if (list === undefined) byAgent.set(day.agent, [day]);
    else list.push(day);
  }
  const all = [...byAgent].map(([agent, own]): AgentLine & { readonly tokens: number } => {
    const figures = own.map(({ day, tokens, costUsd }) => ({ ...NOTHING, day, tokens, costUsd }));
    const buckets = bucketsOf(figures, count, now);
    const peak = buckets.reduce((best, one) => ((value(one) ?? 0) > (value(best) ?? 0) ? one : best));
    const total = totalOf(buckets);
    return { agent, buckets, total: value(total), tokens: total.tokens, peak: (value(peak) ?? 0) > 0 ? peak : null };
  });
  all.sort((a, b) => (b.total ?? -1) - (a.total ?? -1) || b.tokens - a.tokens || (a.agent < b.agent ? -1 : 1));
  const lines = all.slice(0, MOST_LINES);
  const most = Math.max(0, ...lines.map(({ peak }) => (peak === null ? 0 : (value(peak) ?? 0))));
  return { measure, lines, more: all.length - lines.length, most };
}
