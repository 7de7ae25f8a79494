import { installDependencies } from './dependencies.mjs';
import { installElectron } from './electron.mjs';
import { checkNodeVersion } from './node-version.mjs';
import { installSqliteAddon } from './sqlite-addon.mjs';
import { checkSystem } from './system-check.mjs';
import { installRuntimePackages } from './system-packages.mjs';

/**
 * Brings a machine, or a fresh clone, to where the app can be built and started. What is done already is skipped.
 * @returns {Promise<string>} path of the Electron executable
 */
export async function setUp() {
  checkNodeVersion();
  await installDependencies();
  await installRuntimePackages();
  const electron = await installElectron();
  await checkSystem(electron);
  await installSqliteAddon(electron);
  return electron;
}
