import type { Drilled } from './drill';

const where = ({ beginning, kill }: Drilled): string =>
  `${beginning}, ${'point' in kill ? kill.point : `after ${kill.afterMs} ms`}`;

/** What is to be told of one kill; nothing where all is well. */
export function report(drilled: Drilled): string[] {
  const { kind, killed, problems } = drilled;
  return [
    ...(killed ? [] : [`NOT KILLED ${kind}: ${where(drilled)}`]),
    ...problems.map((problem) => `FAULT ${kind}: ${where(drilled)}: ${problem}`),
  ];
}

/** The kinds, each with its kills and what came of them. */
export function summary(drilled: readonly Drilled[], seed: number, seconds: number): string {
  const kinds = [...new Set(drilled.map(({ kind }) => kind))];
  const row = (name: string, of: readonly Drilled[]) => {
    const killed = of.filter((one) => one.killed);
    const held = killed.filter(({ problems }) => problems.length === 0).length;
    const ms = of.reduce((sum, one) => sum + one.ms, 0) / Math.max(1, of.length);
    return [name, String(of.length), String(killed.length), String(held), (ms / 1_000).toFixed(1)];
  };
  const rows = [
    ['kind', 'aimed', 'killed', 'held', 's each'],
    ...kinds.map((kind) =>
      row(
        kind,
        drilled.filter((one) => one.kind === kind),
      ),
    ),
    row('all', drilled),
  ];
  const table = rows.map(
    ([name = '', ...numbers]) => name.padEnd(28) + numbers.map((text) => text.padStart(8)).join(''),
  );
  return [...table, `seed ${seed}, ${seconds} s`].join('\n');
}
