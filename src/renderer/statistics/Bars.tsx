interface Row {
  readonly name: string;
  readonly value: number;
  /** The value as it is read. */
  readonly words: string;
}

/** A chart that is a list: each row says its number, and its bar shows it beside the others. */
export function Bars({ title, rows }: { readonly title: string; readonly rows: readonly Row[] }) {
  if (rows.length === 0) return null;
  const most = Math.max(1, ...rows.map(({ value }) => value));
  return (
    <section className="figures" aria-label={title}>
      <h2>{title}</h2>
      <ul className="bars">
        {rows.map(({ name, value, words }) => (
          <li key={name}>
            <span>{name}</span>
            <span className="chart-bar" aria-hidden>
              <span style={{ width: `${(100 * value) / most}%` }} />
            </span>
            <span className="number">{words}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
