import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A process of this machine; `started` tells it from a later one that is given the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
}

export async function ownIdentity(): Promise<ProcessIdentity> {
  return { pid: process.pid, started: (await startOf(process.pid)) ?? 'unknown' };
}

/** Whether that very process still runs. Where its start cannot be told, any process of its pid counts. */
export async function isAlive({ pid, started }: ProcessIdentity): Promise<boolean> {
  const now = await startOf(pid);
  return now !== null && (now === started || now === 'unknown' || started === 'unknown');
}

/** When a process started, in whatever words the system has for it; null where there is none of that pid. */
async function startOf(pid: number): Promise<string | null> {
  if (process.platform === 'linux') return procStart(pid);
  if (!exists(pid)) return null;
  if (process.platform === 'win32') return 'unknown';
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], {
      env: { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' },
    });
    return stdout.trim();
  } catch {
    return null;
  }
}

/** The boot and the tick of the start: see proc(5). A dead process that nobody collected runs nothing. */
async function procStart(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return null;
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'latin1').catch(() => '');
  return `${boot.trim()}.${fields[19]}`;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
