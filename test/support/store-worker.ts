import { mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { StoreWorker } from '../../src/main/sessions/worker/store-worker';

/**
 * Builds one file of ours into a program that Node runs as it is, with everything that it imports. It is put inside the
 * project, so that it finds better-sqlite3.
 */
async function buildProgram(entry: string) {
  const folder = await mkdtemp(join(resolve('node_modules'), '.program-'));
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { alias: { '@shared': resolve('src/shared') } },
    ssr: { noExternal: true, external: ['better-sqlite3'] },
    build: {
      ssr: true,
      target: 'node18',
      outDir: folder,
      emptyOutDir: false,
      rollupOptions: {
        input: { program: resolve(entry) },
        output: { format: 'cjs', entryFileNames: '[name].js' },
        external: ['better-sqlite3'],
      },
    },
  });
  return { script: join(folder, 'program.js'), remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The store's worker as the app has it: built, and started in a thread. */
export async function buildStoreWorker() {
  const { script, remove } = await buildProgram('src/main/sessions/worker/main.ts');
  return { script, open: (file: string) => new StoreWorker(script, file), remove };
}
