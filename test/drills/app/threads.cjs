// Threads of the app: the script is run by thread.cjs, which watches its store and its files first.
const { join } = require('node:path');
const threads = require('node:worker_threads');

function watchThreads() {
  const { Worker } = threads;
  /** @type {any} */ (threads).Worker = class extends Worker {
    /** @param {string} script @param {import('node:worker_threads').WorkerOptions} options */
    constructor(script, options) {
      super(join(__dirname, 'thread.cjs'), { ...options, argv: [script] });
    }
  };
}

module.exports = { watchThreads };
