import { existsSync } from 'node:fs';
import { SetupError, say } from './report.mjs';
import { capture, reasonIn } from './run.mjs';

/**
 * What Electron, its display and the sandbox need on Debian and Ubuntu. Where a library was renamed (the t64 names of
 * Debian 13 and Ubuntu 24.04), the newer name stands first.
 */
const RUNTIME = [
  ['libgtk-3-0t64', 'libgtk-3-0'],
  ['libnss3'],
  ['libasound2t64', 'libasound2'],
  ['libgbm1'],
  ['libxss1'],
  ['libatk-bridge2.0-0t64', 'libatk-bridge2.0-0'],
  ['libdrm2'],
  ['xvfb'],
  ['xauth'],
  ['bubblewrap'],
  ['fonts-dejavu-core'],
  ['git'],
];

const COMPILER = [['python3'], ['make'], ['g++']];

function canInstall() {
  return process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

/**
 * Of each group of alternative names, whether one is installed.
 * @param {string[][]} groups
 * @param {string} dpkgOutput lines of "name status", as asked for below
 */
export function missingGroups(groups, dpkgOutput) {
  const installed = new Set(
    dpkgOutput
      .split('\n')
      .filter((line) => line.endsWith(' installed'))
      .map((line) => line.split(' ')[0]),
  );
  return groups.filter((names) => !names.some((name) => installed.has(name)));
}

/** @param {string[][]} groups */
async function findMissing(groups) {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's placeholders, not JavaScript's.
  const format = '--showformat=${Package} ${db:Status-Status}\n';
  // Exits 1 when it does not know a name, and still prints the others.
  const { stdout } = await capture('dpkg-query', ['--show', format, ...groups.flat()]);
  return missingGroups(groups, stdout);
}

/**
 * The first of the names that this release really has.
 * @param {string[]} names
 */
async function nameHere(names) {
  for (const name of names) {
    const { stdout } = await capture('apt-cache', ['show', '--no-all-versions', name]);
    if (stdout.trim() !== '') return name;
  }
  return names[names.length - 1] ?? '';
}

/** @param {string[]} args */
async function apt(args) {
  const result = await capture('apt-get', args, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  if (result.code === 0) return;
  throw new SetupError(
    `apt-get ${args.join(' ')} failed.\n${reasonIn(result.stderr)}`,
    'run that command yourself, see what it says, and try again.',
  );
}

/** @param {string[][]} groups */
async function installMissing(groups) {
  if (!canInstall()) return;
  const missing = await findMissing(groups);
  if (missing.length === 0) return;
  say('Reading the lists of system packages (apt-get update)...');
  await apt(['update']);
  const names = await Promise.all(missing.map(nameHere));
  say(`Installing system packages: ${names.join(' ')}...`);
  await apt(['install', '--yes', '--no-install-recommends', ...names]);
}

/** What Electron needs to start. Does nothing where it may not install: see system-check.mjs. */
export const installRuntimePackages = () => installMissing(RUNTIME);

/** What compiling a native addon needs. */
export const installCompiler = () => installMissing(COMPILER);
