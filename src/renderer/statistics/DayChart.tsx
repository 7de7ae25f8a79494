import type { Bucket } from './buckets';

export interface Series {
  readonly name: string;
  readonly tone: 'accent' | 'work' | 'wait' | 'done' | 'fail' | 'stop';
  readonly value: (bucket: Bucket) => number;
}

interface Props {
  readonly title: string;
  readonly buckets: readonly Bucket[];
  readonly series: readonly Series[];
  /** A value as it is read, for the highest bar and for each bar's own words. */
  readonly words: (value: number) => string;
  /** A bar in words, where its value does not say it all. */
  readonly told?: (bucket: Bucket) => string;
  /** What is said in place of bars of no height. */
  readonly none?: string;
}

/** Bars side by side, one a day or a week, each said in words as well: on hover, and to a screen reader. */
export function DayChart({ title, buckets, series, words, told, none = 'None in this time.' }: Props) {
  const say = (bucket: Bucket) =>
    told === undefined ? inWords(bucket, series, words) : `${bucket.name}: ${told(bucket)}`;
  const sum = (bucket: Bucket) => series.reduce((total, { value }) => total + value(bucket), 0);
  const most = Math.max(...buckets.map(sum));
  const [first, middle, last] = [buckets[0], buckets[Math.floor(buckets.length / 2)], buckets.at(-1)];
  return (
    <section className="figures" aria-label={title}>
      <header className="chart-head">
        <h2>{title}</h2>
        {series.length > 1 && (
          <ul className="legend">
            {series.map(({ name, tone }) => (
              <li key={name}>
                <i className={`swatch ${tone}`} aria-hidden /> {name}
              </li>
            ))}
          </ul>
        )}
        <span className="most">{most > 0 && `highest ${words(most)}`}</span>
      </header>
      {most === 0 ? (
        <p className="hint">{none}</p>
      ) : (
        <>
          <ul className="day-chart">
            {buckets.map((bucket) => (
              <li key={bucket.name} title={say(bucket)}>
                <span className="sr-only">{say(bucket)}</span>
                {series.map(({ name, tone, value }) => (
                  <span
                    key={name}
                    aria-hidden
                    className={`part ${tone}`}
                    style={{ height: `${(100 * value(bucket)) / most}%` }}
                  />
                ))}
              </li>
            ))}
          </ul>
          <div className="chart-days" aria-hidden>
            {[first, middle, last].map((bucket) => (
              <span key={bucket?.name}>{bucket?.name}</span>
            ))}
          </div>
        </>
      )}
    </section>
  );
}

function inWords(bucket: Bucket, series: readonly Series[], words: Props['words']): string {
  const [only] = series;
  if (series.length === 1 && only !== undefined) return `${bucket.name}: ${words(only.value(bucket))}`;
  const parts = series
    .filter(({ value }) => value(bucket) > 0)
    .map(({ name, value }) => `${name} ${words(value(bucket))}`);
  return `${bucket.name}: ${parts.length === 0 ? 'nothing' : parts.join(', ')}`;
}
