import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'test/e2e',
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results/e2e',
  timeout: 60_000,
  retries: 0,
  workers: 2,
  forbidOnly: Boolean(process.env.CI),
  use: { screenshot: 'only-on-failure', trace: 'retain-on-failure' },
});
