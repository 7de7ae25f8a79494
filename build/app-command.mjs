import { PROJECT } from './setup/paths.mjs';

/**
 * The arguments that start the app. Chromium refuses to run as root with its own sandbox.
 * @param {string[]} [more] arguments for the app
 */
export function appArguments(more = []) {
  return [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), PROJECT, ...more];
}
