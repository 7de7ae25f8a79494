// Processes as they are started and as they end: the drill's commands apart from all others.
const processes = require('node:child_process');
const { pass } = require('./points.cjs');

/** The drill's program in the workspace: see test/drills/script.ts. */
const COMMAND = /\/drill-step$/;

/** Times after a start, in milliseconds: the sandbox is being made then, bit by bit. */
const AGES = [1, 2, 4, 6, 8, 11, 15, 20, 30, 60];

function watchProcesses() {
  const all = /** @type {any} */ (processes);
  const { spawn } = all;
  all.spawn = (/** @type {string} */ file, /** @type {any} */ args, /** @type {any} */ options) => {
    const line = Array.isArray(args) ? [file, ...args] : [file];
    const what = line.some((part) => COMMAND.test(part)) ? 'command' : 'process';
    pass(`spawn ${what}`);
    const child = spawn(file, args, options);
    pass(`spawned ${what}`);
    if (what === 'command') for (const ms of AGES) setTimeout(() => pass(`command is ${ms} ms old`), ms);
    child.prependListener('exit', () => pass(`exit ${what}`));
    return child;
  };
}

module.exports = { watchProcesses };
