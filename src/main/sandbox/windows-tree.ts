import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isRunning } from './is-running';
import type { TreeEnd } from './process-tree';

const runFile = promisify(execFile);

/** Ends a process and what descends from it. @throws Error, with `stderr` where it printed something, where that failed */
export type TaskKill = (pid: number) => Promise<unknown>;

/** Windows: the tree as `taskkill` sees it, by parents. What lost its parent before is not found. */
export class WindowsTree {
  constructor(
    private readonly rootPid: number,
    private readonly taskkill: TaskKill = runTaskkill,
  ) {}

  watch(): void {}

  async end(): Promise<TreeEnd> {
    try {
      await this.taskkill(this.rootPid);
      return { found: 1, survivors: [] };
    } catch (error) {
      // It fails where the process is gone already, which is what was wanted, and where it may not end one of them.
      const survivors = [...new Set([this.rootPid, ...numbersIn(error)])].filter(isRunning);
      return { found: survivors.length, survivors };
    }
  }
}

function runTaskkill(pid: number): Promise<unknown> {
  const taskkill = join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'taskkill.exe');
  return runFile(taskkill, ['/PID', String(pid), '/T', '/F'], { timeout: 8_000, windowsHide: true });
}

/** It names those that it could not end, in the language of the machine: the numbers are the pids. */
function numbersIn(error: unknown): number[] {
  const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
  return (text.match(/\d+/g) ?? []).map(Number).filter((pid) => pid > 0 && pid !== process.pid);
}
