// The built app, with Chromium's own files in a folder beside those of a first app on the same data folder: two
// Chromiums in one folder do not always draw.
const { join, resolve } = require('node:path');
const { app } = require('electron');

const project = resolve(__dirname, '../../..');
// Its preload, its page and its agents lie in the project.
app.getAppPath = () => project;
const { setPath } = app;
app.setPath = (name, path) => setPath.call(app, name, name === 'sessionData' ? `${path}-second` : path);
require(join(project, 'out/main/index.js'));
