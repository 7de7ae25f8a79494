import { expect as base } from '@playwright/test';

/** As long as a slow machine may need with two apps at work. It costs time only where something fails. */
export const expect = base.configure({ timeout: 15_000 });
