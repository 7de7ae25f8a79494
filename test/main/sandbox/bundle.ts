import { join, resolve } from 'node:path';
import { build } from 'vite';

/** Bundles a fixture so that a plain `node` can run it, as any user; gives the path of the script. */
export async function bundle(fixture: string, folder: string, from = 'test/main/sandbox/fixtures'): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { alias: { '@shared': resolve('src/shared') } },
    ssr: { noExternal: true },
    build: {
      ssr: resolve(from, fixture),
      outDir: folder,
      target: 'node18',
      rollupOptions: { output: { entryFileNames: '[name].mjs' } },
    },
  });
  return join(folder, fixture.replace(/\.ts$/, '.mjs'));
}
