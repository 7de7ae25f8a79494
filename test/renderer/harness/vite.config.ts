import { resolve } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// The window on its own, with fixtures behind it: `npx vite build -c test/renderer/harness/vite.config.ts`.
export default defineConfig({
  root: resolve('test/renderer/harness'),
  base: './',
  resolve: { alias: { '@shared': resolve('src/shared') } },
  plugins: [react(), tailwindcss()],
  build: { target: 'chrome114', outDir: resolve('out/harness'), emptyOutDir: true },
});
