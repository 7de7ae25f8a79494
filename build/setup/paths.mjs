import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
export const MODULES = join(PROJECT, 'node_modules');

/** Goes with node_modules: `npm ci` empties it. */
export const PROJECT_CACHE = join(MODULES, '.cache', 'sayso');

/** Outlives node_modules, for what takes a minute to make. */
export const USER_CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sayso-build');
