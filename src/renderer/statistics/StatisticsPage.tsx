import type { DecisionFigures, Statistics } from '@shared/statistics';
import { useEffect, useState } from 'react';
import { ask } from '../ui/bridge';
import { cost, elapsed, tokens } from '../ui/format';
import { oneLine, visible } from '../ui/text';
import { AgentsOverTime, costWords } from './AgentsOverTime';
import { Bars } from './Bars';
import { type Bucket, bucketsOf, totalOf } from './buckets';
import { DayChart, type Series } from './DayChart';
import { Totals } from './Totals';

const SPANS = [7, 30, 90, 365] as const;

interface Shown {
  readonly figures: Statistics;
  readonly days: number;
  readonly now: number;
}

/** What was spent, and how it was decided, in a span of days up to now. */
export function StatisticsPage() {
  const [days, setDays] = useState<number>(30);
  const [shown, setShown] = useState<Shown | null>(null);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let current = true;
    setProblem('');
    void ask('getStatistics', { since: startOf(days) }).then((result) => {
      if (!current) return;
      if (result.ok) setShown({ figures: result.value, days, now: Date.now() });
      else setProblem(result.error.message);
    });
    return () => {
      current = false;
    };
  }, [days]);

  return (
    <main className="page" aria-label="Statistics" data-pane="main">
      <div className="page-body">
        <header className="page-head">
          <h1>Statistics</h1>
          <select
            className="field"
            aria-label="Span"
            value={days}
            onChange={(event) => setDays(Number(event.target.value))}
          >
            {SPANS.map((span) => (
              <option key={span} value={span}>
                {span === 365 ? 'The last year' : `The last ${span} days`}
              </option>
            ))}
          </select>
        </header>
        {problem !== '' && (
          <p className="problem iso" role="alert">
            {visible(problem)}
          </p>
        )}
        {shown === null && problem === '' && <p className="hint">Reading the journals…</p>}
        {shown !== null && <Figures figures={shown.figures} count={shown.days} now={shown.now} />}
      </div>
    </main>
  );
}

const TOKENS: readonly Series[] = [{ name: 'tokens', tone: 'accent', value: ({ tokens: count }) => count }];
const COST: readonly Series[] = [{ name: 'cost', tone: 'accent', value: ({ costUsd }) => costUsd ?? 0 }];
const TIMES: readonly Series[] = [
  { name: 'working', tone: 'work', value: ({ workingMs }) => workingMs },
  { name: 'waiting for you', tone: 'wait', value: ({ waitingMs }) => waitingMs },
];
const DECISIONS: readonly Series[] = [
  { name: 'approved', tone: 'done', value: ({ approved }) => approved },
  { name: 'declined', tone: 'fail', value: ({ declined }) => declined },
  { name: 'expired', tone: 'wait', value: ({ expired }) => expired },
  { name: 'stopped or cut off', tone: 'stop', value: ({ other }) => other },
];
const number = (value: number) => value.toLocaleString('en');

interface FiguresProps {
  readonly figures: Statistics;
  /** How many days up to now. */
  readonly count: number;
  readonly now: number;
}

function Figures({ figures: { agents, days, agentDays, decisions }, count, now }: FiguresProps) {
  const buckets = bucketsOf(days, count, now);
  const total = totalOf(buckets);
  if (agents.length === 0) return <p className="hint">Nothing has happened in this time.</p>;
  return (
    <>
      <Totals total={total} />
      <DayChart title="Tokens" buckets={buckets} series={TOKENS} words={tokens} />
      <DayChart title="Cost" buckets={buckets} series={COST} words={cost} told={costWords} none={noCost(total)} />
      <AgentsOverTime days={agentDays} count={count} now={now} />
      <DayChart title="Time of runs" buckets={buckets} series={TIMES} words={elapsed} />
      <DayChart title="Decisions over time" buckets={buckets} series={DECISIONS} words={number} />
      <Bars
        title="Decisions by kind"
        rows={decisions.map((row) => ({ name: decisionWords(row), value: row.count, words: number(row.count) }))}
      />
      <section className="figures">
        <h2>Agents</h2>
        <table>
          <thead>
            <tr>
              {['Agent', 'Sessions', 'Turns', 'Tokens', 'Cost', 'Working', 'Waiting for you', 'Approved', 'Denied'].map(
                (name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {agents.map((row) => (
              <tr key={row.agent}>
                <th scope="row" className="iso">
                  {oneLine(row.agent)}
                </th>
                <td>{row.sessions.toLocaleString('en')}</td>
                <td>{row.turns.toLocaleString('en')}</td>
                <td>{tokens(row.tokens)}</td>
                <td>{row.tokens === 0 ? '–' : cost(row.costUsd)}</td>
                <td>{elapsed(row.workingMs)}</td>
                <td>{elapsed(row.waitingMs)}</td>
                <td>{row.approved.toLocaleString('en')}</td>
                <td>{row.denied.toLocaleString('en')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

function noCost({ tokens: count, costUsd }: Pick<Bucket, 'tokens' | 'costUsd'>): string {
  return count > 0 && costUsd === null ? 'No price is known for what ran in this time.' : 'None in this time.';
}

/** The first moment of the first of so many days, of which today is the last. */
function startOf(days: number): number {
  const today = new Date();
  return new Date(today.getFullYear(), today.getMonth(), today.getDate() - days + 1).getTime();
}

const BY: Readonly<Record<DecisionFigures['by'], string>> = {
  operator: 'by you',
  clock: 'nobody answered',
  run: 'run stopped',
  app: 'by Sayso',
  grant: 'remembered',
};

function decisionWords({ outcome, by }: DecisionFigures): string {
  return `${outcome}, ${BY[by]}`;
}
