import { defineConfig } from '@playwright/test';

/** The benchmarks on the real app: one after the other, and nothing beside them. */
export default defineConfig({
  testDir: '.',
  testMatch: '**/*.live.ts',
  outputDir: '../../test-results/bench',
  reporter: 'dot',
  workers: 1,
  retries: 0,
});
