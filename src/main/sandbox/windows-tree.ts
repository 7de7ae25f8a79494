import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TreeEnd } from './process-tree';

const runFile = promisify(execFile);

/** Windows: the tree as `taskkill` sees it, by parents. What lost its parent before is not found. */
export class WindowsTree {
  constructor(private readonly rootPid: number) {}

  watch(): void {}

  async end(): Promise<TreeEnd> {
    const taskkill = join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'taskkill.exe');
    try {
      await runFile(taskkill, ['/PID', String(this.rootPid), '/T', '/F'], { timeout: 8_000, windowsHide: true });
      return { found: 1, survivors: [] };
    } catch {
      // It fails where the process is gone already, which is what was wanted.
      return { found: 0, survivors: [] };
    }
  }
}
