import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { StoreWorker } from '../../src/main/sessions/worker/store-worker';

/**
 * The store's worker as the app has it: built into one file and started in a thread. It is made inside the project, so
 * that it finds better-sqlite3.
 */
export async function buildStoreWorker() {
  const folder = await mkdtemp(join(resolve('node_modules'), '.store-worker-'));
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
        input: { 'store-worker': resolve('src/main/sessions/worker/main.ts') },
        output: { format: 'cjs', entryFileNames: '[name].js' },
        external: ['better-sqlite3'],
      },
    },
  });
  const script = join(folder, 'store-worker.js');
  return {
    script,
    open: (file: string) => new StoreWorker(script, file),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A folder that is gone when the test is. */
export async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'sayso-test-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
