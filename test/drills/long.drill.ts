import { test } from '@playwright/test';
import { expect } from '../support/expect';
import { type Drilled, Driller } from './drill';
import { BEGINNINGS, plan } from './plan';
import { report, summary } from './report';

/** How many kills, over all kinds; fewer to try something out: DRILL_KILLS=20 npm run drill */
const KILLS = Number(process.env.DRILL_KILLS ?? 200);

/** Which of all points: a drill with the same seed, on the same code, kills at the same ones. */
const SEED = Number(process.env.DRILL_SEED ?? Date.now() % 1_000_000);

/** Apps at a time: most of its life one waits for its commands and its model. */
const LANES = 2;

test(`the app is killed with -9 at ${KILLS} points of its work, and comes to the same end from each`, async () => {
  const began = Date.now();
  const lanes = await Promise.all(Array.from({ length: LANES }, () => Driller.open()));
  const drilled: Drilled[] = [];
  try {
    await Promise.all(lanes.map((driller) => driller.prepare()));
    const lives = await Promise.all(lanes.map((driller, lane) => driller.lives(BEGINNINGS.filter(isOf(lane)))));
    const targets = plan(Object.assign({}, ...lives), KILLS, SEED);
    console.log(`seed ${SEED}: ${targets.length} kills, prepared in ${seconds(began)} s`);
    const left = [...targets];
    const work = async (driller: Driller) => {
      for (let target = left.shift(); target !== undefined; target = left.shift()) {
        const one = await driller.drill(target);
        drilled.push(one);
        for (const line of report(one)) console.log(line);
        if (drilled.length % 10 === 0) console.log(`${drilled.length} of ${targets.length}, ${seconds(began)} s`);
      }
    };
    await Promise.all(lanes.map(work));
  } finally {
    await Promise.all(lanes.map((driller) => driller.close()));
    console.log(summary(drilled, SEED, seconds(began)));
  }
  expect(drilled.filter(({ killed, problems }) => !killed || problems.length > 0)).toEqual([]);
  expect(drilled).toHaveLength(KILLS);
});

/** Every lane has its share. */
function isOf(lane: number): (item: unknown, index: number) => boolean {
  return (_item, index) => index % LANES === lane;
}

function seconds(since: number): number {
  return Math.round((Date.now() - since) / 1_000);
}
