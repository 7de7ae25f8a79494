import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { Answer } from '../../src/shared/requests';
import {
  appMark,
  callMark,
  endProcesses,
  type LaunchOptions,
  SaysoApp,
  serverEnvironment,
  spawnApp,
} from '../support/app';
import { pidsWithEnvironment } from '../support/processes';
import type { Lane } from './lane';
import { operate } from './operator';

/**
 * Where or when a life of the app is ended: at a point, by itself, or after a time with its window, from outside. What is
 * killed while it starts has nobody before its window: a driver that loses the app while it connects fails by itself.
 */
export type Kill = { readonly point: string; readonly operator: 'there' | 'not yet' } | { readonly afterMs: number };

const SessionValue = z.object({ sessionId: z.string() });

/** What was asked over the bridge and is done: what was asked, and what the window was told. */
const Done = z.discriminatedUnion('method', [
  z.object({ method: z.literal('startRun'), value: SessionValue }),
  z.object({ method: z.literal('importSession'), value: SessionValue }),
  z.object({ method: z.literal('resumeSession'), input: SessionValue }),
  z.object({ method: z.literal('answerRequest'), input: z.object({ requestId: z.string(), answer: Answer }) }),
  z.object({ method: z.literal('exportSession'), value: z.object({ path: z.string() }) }),
  z.object({ method: z.literal('backUpStore'), value: z.object({ path: z.string() }) }),
]);
export type Done = z.infer<typeof Done>;

const LogLine = z.union([
  z.strictObject({ point: z.string() }),
  /** Events that the window was told: their seqs, and the hashes of their bodies. */
  z.strictObject({ acknowledged: z.array(z.tuple([z.number(), z.string()])) }),
  z.strictObject({ done: Done }),
]);
export type LogLine = z.infer<typeof LogLine>;

/** One life of the app, from its start to its quit or its kill. */
export interface Life {
  readonly killed: boolean;
  /** What went wrong in it; null where it was killed, or came to its end. */
  readonly failure: string | null;
  /** Processes of commands that did not go with the app. */
  readonly left: number;
  /** Points that it passed, in order. */
  readonly points: readonly string[];
  readonly ms: number;
}

/** No life takes as long. */
const LIFE_MS = 60_000;

/** How long the processes of an app that was killed may take to follow it. */
const FOLLOW_MS = 5_000;

/** How long a start may take, without an operator. */
const START_MS = 10_000;

/** Starts the app, works with it, and is there when it ends. Nothing of the app's own runs when this returns. */
export async function live(lane: Lane, kill: Kill | null, title?: string): Promise<Life> {
  const began = Date.now();
  const before = (await logOf(lane)).length;
  const point = kill !== null && 'point' in kill ? kill.point : null;
  const options: LaunchOptions = {
    appFolder: 'test/drills/app',
    env: {
      ...serverEnvironment(lane.server),
      DRILL_LOG: lane.log,
      DRILL_FOLDER: lane.folder,
      DRILL_TARGET: point ?? '',
    },
  };
  const isAlone = kill !== null && 'operator' in kill && kill.operator === 'not yet';
  const { signal, failure } = await (isAlone ? startAlone(lane, options) : startAndWork(lane, options, kill, title));
  const left = await survivors(lane);
  for (const mark of [appMark(lane.home), callMark(lane.home)]) await endProcesses(mark);
  const points = (await logOf(lane)).slice(before).flatMap((line) => ('point' in line ? [line.point] : []));
  const killed = point === null ? signal === 'SIGKILL' : points.includes(point);
  return { killed, failure: killed ? null : failure, left, points, ms: Date.now() - began };
}

interface Ended {
  readonly signal: NodeJS.Signals | null;
  readonly failure: string | null;
}

async function startAlone(lane: Lane, options: LaunchOptions): Promise<Ended> {
  const { process: main } = spawnApp(lane, options);
  const limit = new AbortController();
  const exit = once(main, 'exit');
  wait(START_MS, null, limit).then(
    () => main.kill(),
    () => {},
  );
  const [, signal] = (await exit) as [number | null, NodeJS.Signals | null];
  limit.abort();
  return { signal, failure: null };
}

async function startAndWork(lane: Lane, options: LaunchOptions, kill: Kill | null, title?: string): Promise<Ended> {
  let app: SaysoApp | null = null;
  const limit = new AbortController();
  try {
    app = await SaysoApp.launch(options, lane);
    const { process: main } = app;
    const late = wait(LIFE_MS, null, limit).then(() => {
      throw new Error(`it did not come to its end in ${LIFE_MS} ms`);
    });
    late.catch(() => {});
    if (kill !== null && 'afterMs' in kill) {
      wait(kill.afterMs, null, limit).then(
        () => main.kill('SIGKILL'),
        () => {},
      );
    }
    await Promise.race([operate(app, lane, title), late]);
    return { signal: main.signalCode, failure: null };
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    return { signal: app?.process.signalCode ?? null, failure: `${what}\n${app?.output ?? ''}` };
  } finally {
    limit.abort();
  }
}

/**
 * Waits until nothing is left of a life, and ends what does not go by itself.
 * @returns how many processes of commands did not go
 */
async function survivors(lane: Lane): Promise<number> {
  const until = Date.now() + FOLLOW_MS;
  for (const mark of [callMark(lane.home), appMark(lane.home)]) {
    while ((await pidsWithEnvironment(mark)).length > 0 && Date.now() < until) await wait(10);
  }
  return (await pidsWithEnvironment(callMark(lane.home))).length;
}

/** What the app has written down, in whole lines: a kill may cut the last. */
export async function logOf(lane: Lane): Promise<LogLine[]> {
  const text = await readFile(lane.log, 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
    .map((line) => LogLine.parse(JSON.parse(line)));
}
