import { cost, elapsed, tokens } from '../ui/format';
import type { Figures } from './buckets';

/** The whole span at a glance. */
export function Totals({ total }: { readonly total: Figures }) {
  const { turns, workingMs, waitingMs, approved, declined, expired, other } = total;
  const number = (value: number) => value.toLocaleString('en');
  const settled = approved + declined + expired + other;
  const figures = [
    { name: 'Tokens', value: tokens(total.tokens), more: `in ${number(turns)} turns` },
    { name: 'Cost', value: total.costUsd === null ? '–' : cost(total.costUsd), more: 'at known prices' },
    { name: 'Working', value: elapsed(workingMs), more: 'all runs together' },
    { name: 'Waiting for you', value: elapsed(waitingMs), more: shareOf(waitingMs, workingMs + waitingMs) },
    { name: 'Decisions', value: number(settled), more: `${number(approved)} approved` },
  ];
  return (
    <dl className="totals">
      {figures.map(({ name, value, more }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <b>{value}</b>
            <small>{more}</small>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function shareOf(part: number, whole: number): string {
  return whole === 0 ? 'of no time' : `${Math.round((100 * part) / whole)} % of their time`;
}
