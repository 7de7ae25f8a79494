import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

/** The long drill by itself: npm run drill */
export default defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  resolve: { alias: { '@shared': resolve(import.meta.dirname, '../../src/shared') } },
  test: { include: ['test/drills/**/*.drill.ts'], pool: 'forks', testTimeout: 1_800_000 },
});
