// What the window asks and is told. Everything that it is told is written down first: that, and what was asked with an
// answer, is what the app has acknowledged and must not lose.
const { createHash } = require('node:crypto');
const { app, ipcMain } = require('electron');
const { pass, tell } = require('./points.cjs');

/** What changes something. */
const WATCHED = /^sayso:(startRun|answerRequest|resumeSession|exportSession|importSession|backUpStore)$/;

/** @param {object} body as it stands in the store */
function hashOf(body) {
  return createHash('sha256').update(JSON.stringify(body)).digest('hex');
}

/** @param {any} push */
function watchPush(push) {
  if (push?.type === 'events') {
    tell({ acknowledged: push.events.map((/** @type {any} */ { seq, body }) => [seq, hashOf(body)]) });
    for (const { body } of push.events) pass(`show ${body.type}`);
  }
  if (push?.type === 'inbox' && push.requests.length > 0) pass('show request');
  if (push?.type === 'progress') pass(`show progress ${push.task}`);
}

function watchWindow() {
  app.on('web-contents-created', (_event, contents) => {
    const { send } = contents;
    contents.send = (channel, ...values) => {
      watchPush(values[0]);
      send.call(contents, channel, ...values);
    };
  });
  const { handle } = ipcMain;
  ipcMain.handle = (channel, listener) => {
    if (!WATCHED.test(channel)) return handle.call(ipcMain, channel, listener);
    const method = channel.slice('sayso:'.length);
    handle.call(ipcMain, channel, async (event, input, ...rest) => {
      pass(`asked ${method}`);
      const result = await listener(event, input, ...rest);
      if (result.ok) tell({ done: { method, input, value: result.value } });
      pass(`answered ${method}`);
      return result;
    });
  };
  for (const moment of /** @type {const} */ (['before-quit', 'will-quit', 'quit'])) {
    app.on(/** @type {'quit'} */ (moment), () => pass(`app ${moment}`));
  }
}

module.exports = { watchWindow };
