import type { DecisionFigures, Statistics } from '@shared/statistics';
import { useEffect, useState } from 'react';
import { ask } from '../ui/bridge';
import { cost, elapsed, tokens } from '../ui/format';
import { oneLine, visible } from '../ui/text';
import { Bars } from './Bars';

const DAY_MS = 86_400_000;
const SPANS = [7, 30, 90, 365] as const;

/** What was spent, and how it was decided, in a span of days up to now. */
export function StatisticsPage() {
  const [days, setDays] = useState<number>(30);
  const [figures, setFigures] = useState<Statistics | null>(null);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let current = true;
    setProblem('');
    void ask('getStatistics', { since: Date.now() - days * DAY_MS }).then((result) => {
      if (!current) return;
      if (result.ok) setFigures(result.value);
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
        {figures === null && problem === '' && <p className="hint">Reading the journals…</p>}
        {figures !== null && <Figures figures={figures} />}
      </div>
    </main>
  );
}

function Figures({ figures: { agents, days, decisions } }: { readonly figures: Statistics }) {
  if (agents.length === 0) return <p className="hint">Nothing has happened in this time.</p>;
  return (
    <>
      <Bars
        title="Tokens by day"
        rows={days.map(({ day, tokens: count, costUsd }) => ({
          name: day,
          value: count,
          words: `${tokens(count)}${costUsd === null ? '' : ` · ${cost(costUsd)}`}`,
        }))}
      />
      <Bars
        title="Decisions"
        rows={decisions.map((row) => ({ name: decisionWords(row), value: row.count, words: String(row.count) }))}
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
                <td>{cost(row.costUsd)}</td>
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
