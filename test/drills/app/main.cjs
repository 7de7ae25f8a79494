// The app that is drilled: the built one, whole, with places around its parts where it can be killed. Nothing of it is
// changed or left out; what is here only looks at calls as they go by.
const { join, resolve } = require('node:path');
const { app } = require('electron');
const { watchFiles } = require('./files.cjs');
const { watchProcesses } = require('./processes.cjs');
const { watchStore } = require('./store.cjs');
const { watchThreads } = require('./threads.cjs');
const { watchWindow } = require('./window.cjs');

const project = resolve(__dirname, '../../..');
// Its preload, its page and its agents lie in the project.
app.getAppPath = () => project;

watchStore();
watchFiles();
watchProcesses();
watchThreads();
watchWindow();
require(join(project, 'out/main/index.js'));
