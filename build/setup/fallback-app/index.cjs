// The app folder on the command line becomes the app: what Electron's own default app does, which a packaged Electron
// lacks.
const { app } = require('electron');
const { join, resolve } = require('node:path');

const folder = resolve(process.argv.slice(1).find((argument) => !argument.startsWith('-')) ?? '.');
const manifest = require(join(folder, 'package.json'));

app.setName(manifest.productName ?? manifest.name);
app.setVersion(manifest.version);
app.setAppPath(folder);
require(join(folder, manifest.main));
