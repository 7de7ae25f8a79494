const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Time left as m:ss, or h:mm:ss from an hour on; never negative, and never more than there is. */
export function timeLeft(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / SECOND));
  const pad = (value: number) => String(value).padStart(2, '0');
  const h = Math.floor(seconds / 3600);
  const m = Math.floor((seconds % 3600) / 60);
  return h > 0 ? `${h}:${pad(m)}:${pad(seconds % 60)}` : `${m}:${pad(seconds % 60)}`;
}

/** How long something took: "4 ms", "1.2 s", "4m 12s", "2h 05m". */
export function took(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`;
  return elapsed(ms);
}

/** A running time, in whole seconds, so that it does not flicker: "31s", "4m 12s", "2h 05m". */
export function elapsed(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m ${String(Math.floor((ms % MINUTE) / SECOND)).padStart(2, '0')}s`;
  return `${Math.floor(ms / HOUR)}h ${String(Math.floor((ms % HOUR) / MINUTE)).padStart(2, '0')}m`;
}

/** A limit as it was set: "90 s", "5 min", "1 h". */
export function limit(ms: number): string {
  if (ms % HOUR === 0) return `${ms / HOUR} h`;
  return ms % MINUTE === 0 ? `${ms / MINUTE} min` : `${Math.round(ms / SECOND)} s`;
}

/** A running time in its largest unit only, for narrow places. */
export function elapsedShort(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))}s`;
  return ms < HOUR ? `${Math.floor(ms / MINUTE)}m` : `${Math.floor(ms / HOUR)}h`;
}

export function tokens(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 100_000) return `${trimZero((count / 1_000).toFixed(1))}k`;
  if (count < 999_500) return `${Math.round(count / 1_000)}k`;
  return `${trimZero((count / 1_000_000).toFixed(2))}M`;
}

function trimZero(text: string): string {
  return text.replace(/\.?0+$/, '');
}

export function cost(usd: number | null): string {
  if (usd === null) return 'cost unknown';
  if (usd > 0 && usd < 0.01) return '<$0.01';
  return `$${usd.toFixed(2)}`;
}

export function bytes(count: number): string {
  if (count < 1_024) return `${count} ${count === 1 ? 'byte' : 'bytes'}`;
  if (count < 1_048_576) return `${trimZero((count / 1_024).toFixed(1))} KiB`;
  if (count < 1_073_741_824) return `${trimZero((count / 1_048_576).toFixed(1))} MiB`;
  return `${trimZero((count / 1_073_741_824).toFixed(1))} GiB`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** Hours and minutes on the operator's clock. */
export function clockTime(at: number): string {
  const date = new Date(at);
  return `${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** A day, with its year when that is not the year of `now`. */
export function day(at: number, now: number): string {
  const date = new Date(at);
  const text = `${date.getDate()} ${MONTHS[date.getMonth()] ?? ''}`;
  return date.getFullYear() === new Date(now).getFullYear() ? text : `${text} ${date.getFullYear()}`;
}
