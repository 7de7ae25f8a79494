// Measures what the product promises to be fast. It prints numbers and judges nothing: a time is never a pass mark.
// node build/bench.mjs [NAME ...]: test/bench/NAME.paired.ts compares two things pair by pair and prints how;
// test/bench/NAME.bench.ts runs in vitest.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { startVitest } from 'vitest/node';
import { runScript, SetupError } from './setup/report.mjs';

const FOLDER = resolve('test/bench');
const PAIRED = '.paired.ts';
const VITEST = '.bench.ts';

/** @param {string} name @param {string} outDir */
async function runPaired(name, outDir) {
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
}

/** @param {string} file @param {string} outDir */
async function run(file, outDir) {
  process.stdout.write(`\n=== ${file}\n`);
  if (file.endsWith(PAIRED)) return runPaired(file.slice(0, -PAIRED.length), outDir);
  const vitest = await startVitest('test', [join(FOLDER, file)], {
    watch: false,
    config: join(FOLDER, 'vitest.config.mts'),
  });
  await vitest.close();
}

await runScript(async () => {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith(PAIRED) || file.endsWith(VITEST));
  const wanted = process.argv.slice(2);
  const unknown = wanted.find((name) => !files.some((file) => file.startsWith(`${name}.`)));
  if (unknown !== undefined) {
    const names = files.map((file) => file.split('.')[0]).join(', ');
    throw new SetupError(`There is no bench named ${unknown}.`, `choose among ${names}.`);
  }
  const chosen = files.filter((file) => wanted.length === 0 || wanted.some((name) => file.startsWith(`${name}.`)));
  // Beside the dependencies, so that those are found.
  const outDir = await mkdtemp(resolve('node_modules/.cache/bench-'));
  try {
    for (const file of chosen.sort()) await run(file, outDir);
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
  return 0;
});
