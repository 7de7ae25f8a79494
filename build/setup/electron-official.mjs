import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MODULES } from './paths.mjs';
import { capture, reasonIn } from './run.mjs';

const PACKAGE = join(MODULES, 'electron');

/** A download that takes longer is given up: some networks swallow it without an answer. */
const DOWNLOAD_LIMIT_MS = 10 * 60_000;

/** @returns {string | undefined} path of the executable that the electron package downloaded */
export function officialElectron() {
  try {
    const executable = join(PACKAGE, 'dist', readFileSync(join(PACKAGE, 'path.txt'), 'utf8'));
    return existsSync(executable) ? executable : undefined;
  } catch {
    return undefined;
  }
}

export function officialVersion() {
  return JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')).version;
}

/**
 * Runs the electron package's own download.
 * @returns {Promise<string | undefined>} why it failed
 */
export async function downloadOfficialElectron() {
  const result = await capture(process.execPath, [join(PACKAGE, 'install.js')], { timeoutMs: DOWNLOAD_LIMIT_MS });
  if (officialElectron()) return undefined;
  if (result.code === null) return `no end after ${DOWNLOAD_LIMIT_MS / 60_000} minutes`;
  return reasonIn(result.stderr, 3) || `its installer ended with ${result.code}`;
}
