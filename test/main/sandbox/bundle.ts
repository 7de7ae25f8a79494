import { join, resolve } from 'node:path';
import { build } from 'vite';

/** Bundles a fixture of this folder so that a plain `node` can run it; gives the path of the script. */
export async function bundle(fixture: string, folder: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { alias: { '@shared': resolve('src/shared') } },
    build: {
      ssr: resolve('test/main/sandbox/fixtures', fixture),
      outDir: folder,
      target: 'node18',
      rollupOptions: { output: { entryFileNames: '[name].mjs' } },
    },
  });
  return join(folder, fixture.replace(/\.ts$/, '.mjs'));
}
