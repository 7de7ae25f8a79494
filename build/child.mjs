import { spawn } from 'node:child_process';
import { PROJECT } from './setup/paths.mjs';

/** How long a child may take to end after Ctrl-C before it is killed. */
const GRACE_MS = 10_000;

/** @type {NodeJS.Signals[]} */
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The exit code by which a shell knows that Ctrl-C ended a program. */
export const INTERRUPTED = 130;

/**
 * Runs a program on this terminal until it ends. A signal for this process is handed on; the child then has ten seconds
 * to end, and a second signal kills it at once.
 * @param {string} program
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env] added to this process's
 * @returns {Promise<{ code: number, interrupted: boolean }>}
 */
export function runHere(program, args, env = {}) {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { cwd: PROJECT, env: { ...process.env, ...env }, stdio: 'inherit' });
    let interrupted = false;
    /** @type {NodeJS.Timeout | undefined} */
    let killer;

    /** @param {NodeJS.Signals} signal */
    const handOn = (signal) => {
      child.kill(interrupted ? 'SIGKILL' : signal);
      interrupted = true;
      killer ??= setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
    };
    const release = () => {
      clearTimeout(killer);
      for (const signal of FORWARDED) process.off(signal, handOn);
    };

    for (const signal of FORWARDED) process.on(signal, handOn);
    child.on('error', (error) => {
      release();
      fail(error);
    });
    child.on('exit', (code) => {
      release();
      done({ code: code ?? (interrupted ? INTERRUPTED : 1), interrupted });
    });
  });
}
