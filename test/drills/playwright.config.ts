import { defineConfig } from '@playwright/test';

/** The long drill by itself: npm run drill */
export default defineConfig({
  testDir: '.',
  testMatch: '*.drill.ts',
  outputDir: '../../test-results/drill',
  timeout: 3_600_000,
  retries: 0,
  workers: 1,
});
