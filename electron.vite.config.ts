import { resolve } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

const alias = { '@shared': resolve('src/shared') };

// better-sqlite3 finds its addon relative to its own folder, so it stays a package; all else is bundled.
const external = ['better-sqlite3'];

export default defineConfig({
  main: {
    resolve: { alias },
    build: {
      target: 'node18',
      outDir: 'out/main',
      sourcemap: true,
      externalizeDeps: false,
      rollupOptions: {
        external,
        input: { index: resolve('src/main/index.ts'), 'store-worker': resolve('src/main/sessions/worker/main.ts') },
        output: { format: 'cjs', entryFileNames: '[name].js' },
      },
    },
  },
  preload: {
    resolve: { alias },
    build: {
      target: 'node18',
      outDir: 'out/preload',
      externalizeDeps: false,
      rollupOptions: {
        input: { index: resolve('src/preload/index.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'src/renderer',
    base: './',
    resolve: { alias },
    plugins: [react(), tailwindcss()],
    build: {
      target: 'chrome114',
      outDir: 'out/renderer',
      minify: true,
      // The page's policy allows no data: address, so no asset may be folded into one.
      assetsInlineLimit: 0,
      rollupOptions: { input: { index: resolve('src/renderer/index.html') } },
    },
  },
});
