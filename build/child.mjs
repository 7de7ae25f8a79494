import { spawn } from 'node:child_process';
import { PROJECT } from './setup/paths.mjs';

/** How long a child may take to end after Ctrl-C before it is killed. */
const GRACE_MS = 10_000;

/** @type {NodeJS.Signals[]} */
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The exit code by which a shell knows that Ctrl-C ended a program. */
export const INTERRUPTED = 130;

/** One Ctrl-C arrives twice, from the terminal and from npm. Only a later signal is a second wish. */
const REPEAT_AFTER_MS = 1_000;

/** npm that is told to end leaves its scripts behind: a new parent is how this process notices. */
const PARENT_POLL_MS = 500;

/**
 * Runs a program on this terminal until it ends. A signal for this process is handed on, once; the program then has ten
 * seconds to end, and a second signal kills it at once.
 * @param {string} program
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env] added to this process's
 * @returns {Promise<{ code: number, interrupted: boolean }>}
 */
export function runHere(program, args, env = {}) {
  return new Promise((done, fail) => {
    // In a process group of its own it hears of Ctrl-C from here alone: Chromium takes a second signal as a kill.
    const hasOwnGroup = process.platform !== 'win32';
    const child = spawn(program, args, {
      cwd: PROJECT,
      env: { ...process.env, ...env },
      stdio: 'inherit',
      detached: hasOwnGroup,
    });
    let signalledAt = 0;
    /** @type {NodeJS.Timeout | undefined} */
    let killer;

    const killAll = () => {
      if (hasOwnGroup && child.pid) process.kill(-child.pid, 'SIGKILL');
      else child.kill('SIGKILL');
    };
    /** @param {NodeJS.Signals} signal */
    const handOn = (signal) => {
      if (signalledAt === 0) {
        signalledAt = Date.now();
        child.kill(signal);
        killer = setTimeout(killAll, GRACE_MS);
      } else if (Date.now() - signalledAt > REPEAT_AFTER_MS) {
        killAll();
      }
    };
    const parent = process.ppid;
    const orphanWatch = setInterval(() => {
      if (process.ppid !== parent && signalledAt === 0) handOn('SIGTERM');
    }, PARENT_POLL_MS);
    const release = () => {
      clearInterval(orphanWatch);
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
      const interrupted = signalledAt !== 0;
      done({ code: code ?? (interrupted ? INTERRUPTED : 1), interrupted });
    });
  });
}
