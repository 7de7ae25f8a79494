import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

/** The benchmarks by themselves: vitest run --config test/bench/vitest.config.mts */
export default defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  resolve: { alias: { '@shared': resolve(import.meta.dirname, '../../src/shared') } },
  test: { include: ['test/bench/**/*.bench.ts'], pool: 'forks', testTimeout: 600_000 },
});
