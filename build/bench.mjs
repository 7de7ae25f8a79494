// Measures what the product promises to be fast. It prints numbers and judges nothing: a time is never a pass mark.
// node build/bench.mjs [NAME ...] [-- MORE]: test/bench/NAME.paired.ts compares two things pair by pair and prints how;
// test/bench/NAME.bench.ts runs in vitest; test/bench/NAME.live.ts drives the real app with Playwright, which gets MORE.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { startVitest } from 'vitest/node';
import { buildAppIfStale } from './app-build.mjs';
import { runHere } from './child.mjs';
import { startDisplay } from './setup/display.mjs';
import { setUp } from './setup/index.mjs';
import { MODULES } from './setup/paths.mjs';
import { runScript, SetupError } from './setup/report.mjs';

const FOLDER = resolve('test/bench');
const PAIRED = '.paired.ts';
const VITEST = '.bench.ts';
const LIVE = '.live.ts';

/** @param {string} name */
async function runPaired(name) {
  // Beside the dependencies, so that those are found.
  const outDir = await mkdtemp(resolve('node_modules/.cache/bench-'));
  try {
    await build({
      configFile: false,
      logLevel: 'warn',
      resolve: { alias: { '@shared': resolve('src/shared') } },
      build: {
        ssr: join(FOLDER, name + PAIRED),
        outDir,
        emptyOutDir: false,
        target: 'node18',
        rollupOptions: { output: { entryFileNames: `${name}.mjs` } },
      },
    });
    await import(join(outDir, `${name}.mjs`));
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}

/** @param {string} file */
async function runVitest(file) {
  const vitest = await startVitest('test', [join(FOLDER, file)], {
    watch: false,
    config: join(FOLDER, 'vitest.config.mts'),
  });
  await vitest.close();
}

/** @param {string} file @param {string[]} more */
async function runLive(file, more) {
  process.env.SAYSO_ELECTRON = await setUp();
  const display = await startDisplay();
  try {
    const code = await buildAppIfStale();
    if (code !== 0) return code;
    const cli = join(MODULES, '@playwright/test/cli.js');
    const args = ['test', '--config', join(FOLDER, 'playwright.config.ts'), file, ...more];
    return (await runHere(process.execPath, [cli, ...args])).code;
  } finally {
    await display.stop();
  }
}

/** @param {string} file @param {string[]} more */
async function run(file, more) {
  process.stdout.write(`\n=== ${file}\n`);
  if (file.endsWith(LIVE)) return runLive(file, more);
  if (file.endsWith(PAIRED)) await runPaired(file.slice(0, -PAIRED.length));
  else await runVitest(file);
  return 0;
}

/** @param {string[]} args */
function splitArguments(args) {
  const end = args.indexOf('--');
  return end < 0 ? { wanted: args, more: [] } : { wanted: args.slice(0, end), more: args.slice(end + 1) };
}

await runScript(async () => {
  const files = (await readdir(FOLDER)).filter((file) => [PAIRED, VITEST, LIVE].some((end) => file.endsWith(end)));
  const { wanted, more } = splitArguments(process.argv.slice(2));
  const unknown = wanted.find((name) => !files.some((file) => file.startsWith(`${name}.`)));
  if (unknown !== undefined) {
    const names = files.map((file) => file.split('.')[0]).join(', ');
    throw new SetupError(`There is no bench named ${unknown}.`, `choose among ${names}.`);
  }
  const chosen = files.filter((file) => wanted.length === 0 || wanted.some((name) => file.startsWith(`${name}.`)));
  let worst = 0;
  for (const file of chosen.sort()) worst = Math.max(worst, await run(file, more));
  return worst;
});
