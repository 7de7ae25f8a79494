import type { Kill, Life } from './life';

/** States of the folders that a life can begin with. */
export const BEGINNINGS = ['fresh', 'done', 'asked', 'unrun', 'ran', 'old'] as const;
/**
 * - `fresh`: nothing but the agent
 * - `done`: the run has come to its end, and nothing is exported yet
 * - `asked`, `unrun`, `ran`: it was killed while a request was open, with a call on record that never began, and with
 *   one that was through and had no result
 * - `old`: `ran`, in a store of version 1
 */
export type Beginning = (typeof BEGINNINGS)[number];

export interface Target {
  readonly kind: string;
  readonly beginning: Beginning;
  readonly kill: Kill;
}

interface Kind {
  readonly name: string;
  readonly from: readonly Beginning[];
  /** Out of which part of a life. */
  readonly part: (points: readonly string[]) => readonly string[];
  readonly places: RegExp;
  /** How many of 200 are of this kind. */
  readonly share: number;
}

const whole = (points: readonly string[]) => points;
const until = (end: string) => (points: readonly string[]) => points.slice(0, found(points, end));
const since = (start: string) => (points: readonly string[]) => points.slice(found(points, start));
const between = (start: string, end: string) => (points: readonly string[]) => until(end)(since(start)(points));

const RESUMED = ['asked', 'unrun', 'ran'] as const;
const RUN = between('asked startRun#1', 'asked exportSession#1');

/** A point is of the first kind that it fits. */
const KINDS: readonly Kind[] = [
  {
    name: 'mid-stream',
    from: ['fresh'],
    part: RUN,
    places: /model_delta|model_started|assistant_message/,
    share: 22,
  },
  {
    name: 'between journal and spawn',
    from: ['fresh'],
    part: RUN,
    places: /call_started|spawn command|file .*drill-step/,
    share: 24,
  },
  {
    name: 'during a command',
    from: ['fresh'],
    part: RUN,
    places: /spawned command|call_output|exit command/,
    share: 24,
  },
  {
    name: 'while waiting',
    from: ['fresh'],
    part: RUN,
    places: /request_opened|requests$|request#|asked answer/,
    share: 18,
  },
  {
    name: 'during settlement',
    from: ['fresh'],
    part: RUN,
    places: /request_settled|UPDATE requests|INSERT (audit|grants)|tool_denied|grant_given|answered answer/,
    share: 24,
  },
  { name: 'elsewhere in a run', from: ['fresh'], part: RUN, places: /./, share: 12 },
  { name: 'during migration', from: ['old'], part: until('spawn process#1'), places: /./, share: 16 },
  { name: 'during recovery', from: RESUMED, part: until('asked resumeSession#1'), places: /./, share: 12 },
  {
    name: 'during resume',
    from: RESUMED,
    part: between('asked resumeSession#1', 'exit command#1'),
    places: /./,
    share: 16,
  },
  {
    name: 'during export',
    from: ['done'],
    part: between('asked exportSession#1', 'asked importSession#1'),
    places: /./,
    share: 8,
  },
  {
    name: 'during import',
    from: ['done'],
    part: between('asked importSession#1', 'asked backUpStore#1'),
    places: /./,
    share: 8,
  },
  { name: 'during backup', from: ['done'], part: whole, places: /backup|last\.sqlite/, share: 4 },
  { name: 'on quit', from: ['done'], part: since('app before-quit#1'), places: /./, share: 4 },
];

/** Killed from outside, at moments that the app knows nothing of. */
const OUTSIDE = { name: 'from outside, at random', share: 8 };

/** What a life's start and end take that nobody kills in from outside, in milliseconds. */
const EDGES_MS = 1_200;

function found(points: readonly string[], point: string): number {
  const index = points.indexOf(point);
  if (index < 0) throw new Error(`no undisturbed life has passed "${point}"`);
  return index;
}

/** Numbers between 0 and 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Chooses where to kill: each kind has its share, spread evenly over its points; the seed says which of those. Where a
 * kind has fewer points than its share, the others have more.
 * @param lives an undisturbed life of each beginning
 */
export function plan(
  lives: Readonly<Record<Beginning, Pick<Life, 'points' | 'ms'>>>,
  count: number,
  seed: number,
): Target[] {
  const random = randomOf(seed);
  const shares = KINDS.reduce((sum, { share }) => sum + share, OUTSIDE.share);
  const targets: Target[] = [];
  for (const kind of KINDS) {
    const all = kind.from.flatMap((beginning) => candidates(kind, beginning, lives[beginning].points));
    targets.push(...spread(all, Math.round((count * kind.share) / shares), random()));
  }
  while (targets.length < count) {
    const beginning = BEGINNINGS[Math.floor(random() * BEGINNINGS.length)] as Beginning;
    targets.push({
      kind: OUTSIDE.name,
      beginning,
      kill: { afterMs: Math.floor(random() * Math.max(1, lives[beginning].ms - EDGES_MS)) },
    });
  }
  return targets.slice(0, count);
}

function candidates(kind: Kind, beginning: Beginning, points: readonly string[]): Target[] {
  const asked = points.findIndex((point) => point.startsWith('asked '));
  const isAtStart = (point: string) => points.indexOf(point) < asked;
  const before = KINDS.slice(0, KINDS.indexOf(kind)).filter(({ from }) => from.includes(beginning));
  return kind
    .part(points)
    .filter((point) => kind.places.test(point) && isSteady(point, points))
    .filter((point) => !before.some((other) => other.places.test(point) && other.part(points).includes(point)))
    .map((point) => ({
      kind: kind.name,
      beginning,
      kill: { point, operator: isAtStart(point) ? 'not yet' : 'there' },
    }));
}

/** In place of one that was not reached: the same place, earlier. */
export function earlier(target: Target): Target {
  if (!('point' in target.kill)) return { ...target, kill: { afterMs: target.kill.afterMs / 2 } };
  const [place = '', count = ''] = target.kill.point.split('#');
  return { ...target, kill: { ...target.kill, point: `${place}#${Math.ceil(Number(count) / 2)}` } };
}

/** How often something streams differs from life to life: the last of many may not come. */
function isSteady(point: string, points: readonly string[]): boolean {
  const [place = '', count = ''] = point.split('#');
  const most = points.filter((other) => other.startsWith(`${place}#`)).length;
  return most < 8 || Number(count) <= most * 0.8;
}

function spread<T>(items: readonly T[], count: number, offset: number): T[] {
  if (count >= items.length) return [...items];
  return Array.from({ length: count }, (_, index) => items[Math.floor(((index + offset) * items.length) / count)] as T);
}
