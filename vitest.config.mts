import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: { '@shared': resolve('src/shared') } },
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    exclude: ['test/e2e/**'],
    environment: 'node',
    // Child processes rather than threads: a native addon or a child-process test that goes wrong then fails alone.
    pool: 'forks',
    testTimeout: 30_000,
    restoreMocks: true,
  },
});
