import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ProcessEntry, ProcessTable } from './process-table';

const runFile = promisify(execFile);

/** 16 MiB: thousands of processes with long command lines. */
const MAX_LISTING = 16 * 1024 * 1024;
const ROW = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/;

/** macOS and other systems with a `ps`. It knows no sessions there, so the process group stands in for them. */
export const psTable: ProcessTable = {
  // Each look starts a process, so it looks less often.
  intervalMs: 1_000,

  async pids() {
    return new Set((await rows()).map((entry) => entry.pid));
  },

  async list(skip) {
    const all = await rows();
    return {
      present: new Set(all.map((entry) => entry.pid)),
      entries: all.filter((entry) => !skip(entry.pid)),
      dead: [],
      vanished: false,
    };
  },

  async marks(pids, mark) {
    if (pids.length === 0) return { marked: new Set(), undecided: new Set() };
    const wanted = new Set(pids);
    // E adds the environment to the command, for processes of this user that the system does not protect.
    const text = await ps(process.platform === 'darwin' ? ['-axEww'] : ['axeww'], 'pid=,command=');
    const found = new Set<number>();
    for (const line of text.split('\n')) {
      const pid = Number.parseInt(line, 10);
      if (wanted.has(pid) && line.includes(` ${mark.environment}`)) found.add(pid);
    }
    return { marked: found, undecided: new Set() };
  },

  async isAlive() {
    // The listing is some milliseconds old, and another one would take longer than the kill that it is to guard.
    return true;
  },
};

/** Each process and its command line. */
export async function commandLines(): Promise<Map<number, string>> {
  const rows = (await ps(['-ax'], 'pid=,command=')).split('\n').map((row) => /^\s*(\d+)\s+(.*\S)\s*$/.exec(row));
  return new Map(rows.flatMap((row) => (row === null ? [] : [[Number(row[1]), row[2] ?? '']])));
}

async function rows(): Promise<ProcessEntry[]> {
  return parsePs(await ps(['-ax'], 'pid=,ppid=,pgid=,stat=,lstart='));
}

async function ps(options: readonly string[], columns: string): Promise<string> {
  const environment = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' };
  const { stdout } = await runFile('ps', [...options, '-o', columns], { env: environment, maxBuffer: MAX_LISTING });
  return stdout;
}

/** The living processes in the output of `ps -o pid=,ppid=,pgid=,stat=,lstart=`, with the start in seconds. */
export function parsePs(text: string): ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const line of text.split('\n')) {
    const match = ROW.exec(line);
    if (match === null) continue;
    const [, pid, parent, group, state, started] = match;
    if (state === undefined || started === undefined || state.startsWith('Z')) continue;
    entries.push({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: Number(group),
      started: Date.parse(`${started} UTC`) / 1_000,
    });
  }
  return entries;
}
