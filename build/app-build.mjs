import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runHere } from './child.mjs';
import { MODULES, PROJECT } from './setup/paths.mjs';
import { say } from './setup/report.mjs';

const STAMP = join(PROJECT, 'out', 'sources.sha256');

/** All that decides what the build makes. */
const SOURCES = ['src', 'electron.vite.config.ts', 'package.json', 'package-lock.json', 'tsconfig.base.json'];

/**
 * @param {string} path relative to the project
 * @returns {string[]} the files below it, or itself
 */
function filesOf(path) {
  const absolute = join(PROJECT, path);
  if (!statSync(absolute).isDirectory()) return [path];
  return readdirSync(absolute)
    .sort()
    .flatMap((name) => filesOf(`${path}/${name}`));
}

/** By content, not by time: a checkout may make old files look new, and new ones old. */
function sourcesHash() {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap(filesOf)) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(PROJECT, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

function isUpToDate() {
  try {
    return readFileSync(STAMP, 'utf8') === sourcesHash();
  } catch {
    return false;
  }
}

/**
 * Builds the app into out/.
 * @returns {Promise<number>} exit code
 */
export async function buildApp() {
  const hash = sourcesHash();
  rmSync(STAMP, { force: true });
  const viteCli = join(MODULES, 'electron-vite', 'bin', 'electron-vite.js');
  const { code } = await runHere(process.execPath, [viteCli, 'build', '--logLevel', 'warn']);
  if (code === 0) {
    mkdirSync(join(PROJECT, 'out'), { recursive: true });
    writeFileSync(STAMP, hash);
  }
  return code;
}

/** Builds the app, unless out/ is what these sources make. */
export async function buildAppIfStale() {
  if (isUpToDate()) return 0;
  say('Building the app...');
  return buildApp();
}
