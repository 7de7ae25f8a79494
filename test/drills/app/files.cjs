// Files of the drill's own folders, as they are opened, written, brought to the disk, renamed and removed.
const promises = require('node:fs/promises');
const { basename } = require('node:path');
const { pass } = require('./points.cjs');

const { DRILL_FOLDER = '/nowhere' } = process.env;

/** @param {unknown} path */
function isOurs(path) {
  return typeof path === 'string' && path.startsWith(DRILL_FOLDER);
}

/** @param {unknown} path without what is made up anew each time */
function nameOf(path) {
  return basename(String(path))
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
    .replace(/^probe-\w{6}$/, 'probe-NEW')
    .replace(/\.\d+\.part$/, '.PID.part');
}

/** @param {any} handle @param {string} name */
function watchHandle(handle, name) {
  for (const method of ['write', 'sync']) {
    const original = handle[method];
    handle[method] = async (/** @type {unknown[]} */ ...values) => {
      pass(`file ${method} ${name}`);
      const result = await original.apply(handle, values);
      pass(`file after ${method} ${name}`);
      return result;
    };
  }
}

function watchFiles() {
  const all = /** @type {any} */ (promises);
  for (const method of ['open', 'rename', 'rm', 'writeFile', 'copyFile']) {
    const original = all[method];
    all[method] = async (/** @type {unknown[]} */ ...values) => {
      if (!isOurs(values[0])) return original(...values);
      const name = nameOf(values[0]);
      pass(`file ${method} ${name}`);
      const result = await original(...values);
      pass(`file after ${method} ${name}`);
      // Read-only ones have nothing to lose.
      if (method === 'open' && values[1] !== undefined && typeof values[1] === 'string' && values[1] !== 'r') {
        watchHandle(result, name);
      }
      return result;
    };
  }
}

module.exports = { watchFiles };
