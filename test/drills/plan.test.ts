import { describe, expect, it } from 'vitest';
import { BEGINNINGS, type Beginning, earlier, plan, type Target } from './plan';

/** A life that passes these places, each so many times, one after the other. */
const life = (...places: readonly (readonly [place: string, times: number])[]) => ({
  ms: 4_000,
  points: places.flatMap(([place, times]) => Array.from({ length: times }, (_, index) => `${place}#${index + 1}`)),
});

const RESUMED = life(
  ['exec BEGIN IMMEDIATE', 2],
  ['spawn process', 1],
  ['commit run_ended', 1],
  ['asked resumeSession', 1],
  ['commit INSERT holders', 1],
  ['committed run_started', 1],
  ['spawn command', 1],
  ['exit command', 1],
);
const LIVES: Record<Beginning, ReturnType<typeof life>> = {
  fresh: life(
    ['exec CREATE TABLE', 2],
    ['asked startRun', 1],
    ['commit model_delta', 40],
    ['committed call_started', 6],
    ['spawn command', 6],
    ['spawned command', 6],
    ['commit request_opened', 5],
    ['commit request_settled', 5],
    ['commit run_state', 7],
    ['asked exportSession', 1],
    ['worker: write event model_delta', 30],
  ),
  done: life(
    ['worker: file rename last.sqlite.PID.part', 1],
    ['asked exportSession', 1],
    ['worker: file sync drill.jsonl.part', 1],
    ['asked importSession', 1],
    ['worker: write event model_delta', 30],
    ['asked backUpStore', 1],
    ['worker: backup begins', 1],
    ['app before-quit', 1],
    ['close the store', 1],
  ),
  asked: RESUMED,
  unrun: RESUMED,
  ran: RESUMED,
  old: RESUMED,
};

const name = ({ beginning, kill }: Target) => `${beginning} ${JSON.stringify(kill)}`;

describe('where the drill kills', () => {
  it('is as often as was said, at every kind of point, and nowhere twice', () => {
    const targets = plan(LIVES, 120, 1);
    expect(targets).toHaveLength(120);
    expect(new Set(targets.map(({ kind }) => kind)).size).toBe(14);
    const points = targets.filter(({ kill }) => 'point' in kill).map(name);
    expect(new Set(points).size).toBe(points.length);
  });

  it('follows from the seed', () => {
    expect(plan(LIVES, 50, 7)).toEqual(plan(LIVES, 50, 7));
    expect(plan(LIVES, 50, 7)).not.toEqual(plan(LIVES, 50, 8));
  });

  it('is a point that lives pass: of what streams not the last', () => {
    const streamed = plan(LIVES, 1_000, 1).flatMap(({ kind, kill }) =>
      kind === 'mid-stream' && 'point' in kill ? [Number(kill.point.split('#')[1])] : [],
    );
    expect(Math.max(...streamed)).toBe(32);
  });

  it('has an operator there only from the first thing that they ask', () => {
    const there = plan(LIVES, 1_000, 1).flatMap(({ kind, kill }) =>
      'point' in kill ? [`${kind}: ${kill.operator}`] : [],
    );
    expect(there).toEqual(expect.arrayContaining(['during recovery: not yet', 'during resume: there']));
    expect(there).not.toContain('during recovery: there');
    expect(there).not.toContain('during resume: not yet');
  });

  it('is earlier where it was not reached', () => {
    const target: Target = {
      kind: 'x',
      beginning: 'fresh',
      kill: { point: 'commit model_delta#30', operator: 'there' },
    };
    expect(earlier(target)).toEqual({ ...target, kill: { point: 'commit model_delta#15', operator: 'there' } });
    expect(earlier({ ...target, kill: { afterMs: 900 } }).kill).toEqual({ afterMs: 450 });
    expect(BEGINNINGS).toContain(target.beginning);
  });
});
