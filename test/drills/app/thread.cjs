const { watchFiles } = require('./files.cjs');
const { watchStore } = require('./store.cjs');

watchStore();
watchFiles();
require(/** @type {string} */ (process.argv[2]));
