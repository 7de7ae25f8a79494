import { SetupError } from './report.mjs';

const OLDEST = [20, 19];

/**
 * @param {string} version as in process.versions.node
 */
export function isNodeNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

export function checkNodeVersion() {
  if (isNodeNewEnough(process.versions.node)) return;
  throw new SetupError(
    `Node.js ${process.versions.node} is too old: ${OLDEST.join('.')} or newer is needed.`,
    'install a current Node.js and try again.',
  );
}
