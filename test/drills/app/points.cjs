// Where the drilled app can be killed. A point is a place that the app passes, and how often it has passed it:
// `commit request_settled#2`. DRILL_TARGET names the point to be killed at; DRILL_LOG is the file of what happens.
const { openSync, writeSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

const { DRILL_LOG = '/dev/null', DRILL_TARGET = '' } = process.env;
const log = openSync(DRILL_LOG, 'a');
/** @type {Map<string, number>} */
const counts = new Map();

/**
 * A line to whoever drills. It is with the system when this returns, and so outlives this process.
 * @param {object} line
 */
function tell(line) {
  writeSync(log, `${JSON.stringify(line)}\n`);
}

/**
 * Passes a place; ends this process as kill -9 does, if this is the point.
 * @param {string} what
 */
function pass(what) {
  const place = isMainThread ? what : `worker: ${what}`;
  const count = (counts.get(place) ?? 0) + 1;
  counts.set(place, count);
  const point = `${place}#${count}`;
  tell({ point });
  if (point === DRILL_TARGET) process.kill(process.pid, 'SIGKILL');
}

module.exports = { pass, tell };
