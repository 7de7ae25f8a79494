import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MODULES, PROJECT } from './paths.mjs';
import { SetupError, say } from './report.mjs';
import { npm, reasonIn } from './run.mjs';

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean }} LockedPackage
 * @typedef {{ packages?: Record<string, LockedPackage> }} Lockfile
 */

/**
 * Whether what is installed is what the lockfile names. Optional packages may be absent: most are for another platform.
 * @param {Lockfile} wanted package-lock.json
 * @param {Lockfile} installed node_modules/.package-lock.json, which npm writes when an installation is complete
 */
export function matchesLockfile(wanted, installed) {
  return Object.entries(wanted.packages ?? {}).every(([folder, locked]) => {
    if (folder === '') return true;
    const found = installed.packages?.[folder];
    if (!found) return locked.optional === true;
    return found.version === locked.version && found.integrity === locked.integrity;
  });
}

function isInstalled() {
  try {
    return matchesLockfile(
      JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')),
      JSON.parse(readFileSync(join(MODULES, '.package-lock.json'), 'utf8')),
    );
  } catch {
    return false;
  }
}

/** Installs exactly what the lockfile names, unless that is installed already. */
export async function installDependencies() {
  if (isInstalled()) return;
  say('Installing the dependencies that package-lock.json names (npm ci)...');
  const result = await npm(['ci', '--no-audit', '--no-fund']);
  if (result.code !== 0) {
    throw new SetupError(
      `npm ci failed.\n${reasonIn(result.stderr)}`,
      'check the network and the registry that npm uses, then try again.',
    );
  }
}
