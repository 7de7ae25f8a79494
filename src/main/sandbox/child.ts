import { type ChildProcess, spawn } from 'node:child_process';
import type { Launch } from './launch';
import type { ProcessEnd } from './process';

export type Descriptor = number | 'ignore' | 'pipe' | 'ipc';

export type StartedChild = ChildProcess & { readonly pid: number };

export const isStarted = (child: ChildProcess): child is StartedChild => child.pid !== undefined;

export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

/** A child, and how it ended: to be asked for in the same turn, or its end may be told before. */
export interface Begun {
  readonly child: ChildProcess;
  readonly exit: Promise<ProcessEnd>;
}

/** @param name what the command is called, for the message where it could not be started */
export function begun(child: ChildProcess, name: string): Begun {
  const exit = new Promise<ProcessEnd>((resolve) => {
    child.once('error', (error) => {
      resolve({ type: 'not-started', message: `${name} cannot be started: ${error.message}.` });
    });
    child.once('exit', (exitCode, signal) => {
      if (exitCode !== null) resolve({ type: 'exited', exitCode });
      else resolve({ type: 'signalled', signal: signal ?? 'unknown' });
    });
  });
  return { child, exit };
}

const SHELL = '/bin/sh';

/** Starts a launch with these descriptors, and with those of its own after them. */
export function spawnLaunch(launch: Launch, stdio: readonly Descriptor[]): ChildProcess {
  const { prepare, file, argv0, args, cwd, environment, owner, reads, reports, gate } = launch;
  const words = prepare.length === 0 ? null : ['-c', [...prepare, 'exec "$@"'].join(' && '), SHELL, file, ...args];
  return spawn(words === null ? file : SHELL, words ?? args, {
    ...(words === null ? { argv0 } : {}),
    cwd,
    env: exactly(environment),
    shell: false,
    // A session and group of its own. On Windows it would be a console window of its own.
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: [...stdio, ...pipes(reads + (reports ? 1 : 0)), ...(gate === undefined ? [] : [gate])],
    ...(owner ?? {}),
  });
}

const pipes = (count: number): Descriptor[] => Array.from({ length: count }, () => 'pipe');

/** Node would add this variable of the app's own environment where it is not named. */
const exactly = (environment: Readonly<Record<string, string>>) => ({ NODE_V8_COVERAGE: undefined, ...environment });
