import { spawn } from 'node:child_process';
import { PROJECT } from './paths.mjs';

/**
 * @typedef {object} Finished
 * @property {number | null} code null when a signal ended it or it could not be started
 * @property {string} stdout
 * @property {string} stderr
 */

/**
 * Runs a program to its end and keeps what it printed. Never rejects: a program that cannot be started has code null.
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number }} [options]
 * @returns {Promise<Finished>}
 */
export function capture(program, args, { cwd = PROJECT, env = process.env, timeoutMs } = {}) {
  return new Promise((done) => {
    const child = spawn(program, args, {
      cwd,
      env,
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (data) => (stdout += data));
    child.stderr.on('data', (data) => (stderr += data));
    child.on('error', (error) => done({ code: null, stdout, stderr: `${stderr}${error.message}` }));
    child.on('close', (code) => done({ code, stdout, stderr }));
  });
}

/**
 * Runs npm, the one that started this script where there is one.
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number }} [options]
 */
export function npm(args, options) {
  const self = process.env.npm_execpath;
  if (self) return capture(process.execPath, [self, ...args], options);
  // npm is a .cmd file on Windows, which only a shell can start.
  if (process.platform === 'win32') return capture('cmd.exe', ['/d', '/c', 'npm', ...args], options);
  return capture('npm', args, options);
}

/**
 * The part of an output that gives the reason: the first lines that speak of an error, else the last lines.
 * @param {string} output
 * @param {number} [count]
 */
export function reasonIn(output, count = 6) {
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !/^\s+at /.test(line));
  const errors = lines.filter((line) => /error|failed|E: /i.test(line) && !/^npm error\s*$/.test(line));
  return (errors.length > 0 ? errors.slice(0, count) : lines.slice(-count)).join('\n');
}
