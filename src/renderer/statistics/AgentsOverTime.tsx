import type { AgentDayFigures } from '@shared/statistics';
import { cost, plural, tokens } from '../ui/format';
import { oneLine } from '../ui/text';
import { type AgentLine, agentLines, type Measure } from './agent-lines';
import type { Bucket } from './buckets';

interface Props {
  readonly days: readonly AgentDayFigures[];
  /** How many days up to now. */
  readonly count: number;
  readonly now: number;
}

const TITLES: Readonly<Record<Measure, string>> = { cost: 'Cost of each agent', tokens: 'Tokens of each agent' };

/** One small chart an agent, all to one scale, so that they can be compared: their cost, or tokens where no price is known. */
export function AgentsOverTime({ days, count, now }: Props) {
  const { measure, lines, more, most } = agentLines(days, count, now);
  if (lines.length === 0) return null;
  return (
    <section className="figures" aria-label={TITLES[measure]}>
      <header className="chart-head">
        <h2>{TITLES[measure]}</h2>
        <span className="most">{most > 0 && `highest ${saidAs(measure, most)}`}</span>
      </header>
      <ul className="agent-lines">
        {lines.map((line) => (
          <Line key={line.agent} line={line} measure={measure} most={most} />
        ))}
      </ul>
      {more > 0 && <p className="hint">{plural(more, 'agent')} with less are not drawn; the table has them.</p>}
    </section>
  );
}

function Line({ line, measure, most }: { readonly line: AgentLine; readonly measure: Measure; readonly most: number }) {
  const { agent, buckets, total, peak } = line;
  const said = total === null ? 'cost unknown' : saidAs(measure, total);
  return (
    <li>
      <span className="iso name" title={oneLine(agent)}>
        {oneLine(agent)}
      </span>
      <span className="day-chart small" aria-hidden>
        {buckets.map((bucket) => (
          <span key={bucket.name} className="day" title={`${bucket.name}: ${bucketWords(measure, bucket)}`}>
            <span
              className="part accent"
              style={{ height: `${most === 0 ? 0 : (100 * valueIn(measure, bucket)) / most}%` }}
            />
          </span>
        ))}
      </span>
      <span className="number">{said}</span>
      {peak !== null && (
        <span className="sr-only">
          , most on {peak.name}: {bucketWords(measure, peak)}
        </span>
      )}
    </li>
  );
}

const saidAs = (measure: Measure, value: number): string => (measure === 'cost' ? cost(value) : tokens(value));

const valueIn = (measure: Measure, { costUsd, tokens: count }: Bucket): number =>
  measure === 'cost' ? (costUsd ?? 0) : count;

function bucketWords(measure: Measure, bucket: Bucket): string {
  if (measure === 'tokens') return tokens(bucket.tokens);
  return costWords(bucket);
}

/** Nothing spent is no cost; something spent at no known price is an unknown one. */
export function costWords({ costUsd, tokens: count }: Pick<Bucket, 'costUsd' | 'tokens'>): string {
  return count === 0 ? cost(0) : cost(costUsd);
}
