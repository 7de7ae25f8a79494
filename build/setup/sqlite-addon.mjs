import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MODULES, USER_CACHE } from './paths.mjs';
import { SetupError, say } from './report.mjs';
import { capture, npm, reasonIn } from './run.mjs';
import { installCompiler } from './system-packages.mjs';

/** better-sqlite3's prebuilt addon needs this Node-API; on an older one it takes the whole process down. */
const PREBUILT_NODE_API = 10;

const PACKAGE = join(MODULES, 'better-sqlite3');
const BUILT = join(PACKAGE, 'build', 'Release', 'better_sqlite3.node');
const HEADER = fileURLToPath(new URL('node-api-8.h', import.meta.url));

const PRINT_NODE_API = 'process.stdout.write(process.versions.napi)';
const TRY_ADDON = `new (require(${JSON.stringify(PACKAGE)}))(':memory:').prepare('SELECT 1').get()`;

/**
 * @param {string} runtime Node or Electron
 * @param {string} script
 */
function evaluate(runtime, script) {
  return capture(runtime, ['-e', script], { env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' } });
}

/** @param {string[]} runtimes */
async function needsOwnBuild(runtimes) {
  const versions = await Promise.all(runtimes.map((runtime) => evaluate(runtime, PRINT_NODE_API)));
  return versions.some(({ stdout }) => Number(stdout) < PREBUILT_NODE_API);
}

/** @param {string[]} runtimes */
async function worksIn(runtimes) {
  const results = await Promise.all(runtimes.map((runtime) => evaluate(runtime, TRY_ADDON)));
  return results.every(({ code }) => code === 0);
}

/** Named by all that it is made from, so that a cached addon never outlives its sources. */
function cachedAddon() {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
  const header = createHash('sha256').update(readFileSync(HEADER)).digest('hex').slice(0, 12);
  return join(USER_CACHE, `better-sqlite3-${version}-${header}-${process.platform}-${process.arch}.node`);
}

/**
 * Copied beside its place first, so that a process that loads it meanwhile never sees half a file.
 * @param {string} from
 * @param {string} to
 */
function copyWhole(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, `${to}.${process.pid}`);
  renameSync(`${to}.${process.pid}`, to);
}

/** Where Node's own headers are installed beside it, node-gyp has nothing to download. */
function headersArgument() {
  const prefix = dirname(dirname(process.execPath));
  return existsSync(join(prefix, 'include', 'node', 'node_api.h')) ? ` --nodedir="${prefix}"` : '';
}

async function compile() {
  if (process.platform === 'win32') {
    throw new SetupError(
      `The SQLite addon does not run on Node.js ${process.versions.node}, and is not compiled on Windows.`,
      'install Node.js 22.14 or newer, and try again.',
    );
  }
  await installCompiler();
  say('Compiling the SQLite addon for this older Node-API (about a minute, once)...');
  const flags = `-include "${HEADER}" -UNAPI_VERSION -DNAPI_VERSION=8`;
  const gyp = `node-gyp rebuild --release --force_build=1${headersArgument()}`;
  const result = await npm(['exec', '--ignore-scripts=false', '--call', gyp], {
    cwd: PACKAGE,
    env: { ...process.env, CXXFLAGS: `${process.env.CXXFLAGS ?? ''} ${flags}` },
  });
  if (result.code === 0 && existsSync(BUILT)) return;
  throw new SetupError(
    `The SQLite addon could not be compiled.\n${reasonIn(result.stderr)}`,
    'install Node.js 22.14 or newer, which needs no compiling; or python3, make and a C++ compiler, and try again.',
  );
}

/**
 * Sees to an addon that loads in Node and in Electron: the prebuilt one where both are new enough, else our own build.
 * @param {string} electron path of the executable
 */
export async function installSqliteAddon(electron) {
  const runtimes = [process.execPath, electron];
  if (!existsSync(BUILT) && !(await needsOwnBuild(runtimes))) return;
  if (existsSync(BUILT) && (await worksIn(runtimes))) return;

  const cached = cachedAddon();
  if (existsSync(cached)) {
    copyWhole(cached, BUILT);
    if (await worksIn(runtimes)) return;
  }
  await compile();
  if (!(await worksIn(runtimes))) {
    throw new SetupError(
      'The SQLite addon was compiled, and still does not load in Node.js and in Electron.',
      'delete node_modules and try again with Node.js 22.14 or newer.',
    );
  }
  copyWhole(BUILT, cached);
}
