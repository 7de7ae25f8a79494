// Builds the app into out/.
import { buildApp } from './app-build.mjs';
import { installDependencies } from './setup/dependencies.mjs';
import { checkNodeVersion } from './setup/node-version.mjs';
import { runScript } from './setup/report.mjs';

await runScript(async () => {
  checkNodeVersion();
  await installDependencies();
  return buildApp();
});
