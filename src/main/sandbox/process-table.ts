import { readdir, readFile, readlink } from 'node:fs/promises';
import { psTable } from './ps-table';

/** One process of this machine. `started` tells it from another one that gets the same pid later. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly started: number;
}

/** What marks a process as part of a tree wherever it went. */
export interface TreeMark {
  /** `NAME=value` or the beginning of it, in its environment. */
  readonly environment: string;
  /** The name of the pipe that its stdout or stderr is; null where there is none. */
  readonly pipe: string | null;
}

export interface Listing {
  /** Every pid there is, those of dead processes that nobody collected included. */
  readonly present: ReadonlySet<number>;
  /** The living ones among them, but those to skip. */
  readonly entries: readonly ProcessEntry[];
  /** The dead ones among them, but those to skip. */
  readonly dead: readonly number[];
  /** Something ended between being listed and being read, so a child that it left may be missing here. */
  readonly vanished: boolean;
}

export interface Marks {
  readonly marked: ReadonlySet<number>;
  /** Could not be told: the environment reads as empty while a process executes another program, or ends. */
  readonly undecided: ReadonlySet<number>;
}

/** The processes of this machine, as far as this user may see them. */
export interface ProcessTable {
  /** How often it may be asked while a command runs, in milliseconds. */
  readonly intervalMs: number;
  pids(): Promise<Set<number>>;
  list(skip: (pid: number) => boolean): Promise<Listing>;
  /** Which of the pids carry the mark. */
  marks(pids: readonly number[], mark: TreeMark): Promise<Marks>;
  /** Whether it is still the same living process. */
  isAlive(entry: ProcessEntry): Promise<boolean>;
}

/** The table of this platform; null where there is none (Windows). */
export function processTable(platform: NodeJS.Platform = process.platform): ProcessTable | null {
  if (platform === 'linux') return procTable;
  return platform === 'win32' ? null : psTable;
}

/** The flag of a thread of the kernel, which has no environment and comes and goes all the time. */
const PF_KTHREAD = 0x0020_0000;

/** Linux: /proc. */
export const procTable: ProcessTable = {
  intervalMs: 250,

  async pids() {
    const names = await readdir('/proc');
    return new Set(names.filter((name) => /^\d+$/.test(name)).map(Number));
  },

  async list(skip) {
    const present = await this.pids();
    const wanted = [...present].filter((pid) => !skip(pid));
    const read = await inBatches(wanted, readStat);
    return {
      present,
      entries: read.filter((entry): entry is ProcessEntry => typeof entry === 'object'),
      dead: wanted.filter((_, index) => read[index] === 'dead'),
      vanished: read.includes('gone'),
    };
  },

  async marks(pids, mark) {
    const read = await inBatches(pids, (pid) => readMark(pid, mark));
    const those = (state: string): Set<number> => new Set(pids.filter((_, index) => read[index] === state));
    return { marked: those('marked'), undecided: those('undecided') };
  },

  async isAlive(entry) {
    const now = await readStat(entry.pid);
    return typeof now === 'object' && now.started === entry.started;
  },
};

/** The fields after the name, which is in brackets and may itself hold brackets and spaces: see proc(5). */
async function readStat(pid: number): Promise<ProcessEntry | 'dead' | 'gone' | 'kernel'> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  if (text === null) return 'gone';
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  // A zombie runs nothing any more; where nobody collects it, it stays for ever.
  if (fields[0] === 'Z' || fields[0] === 'X') return 'dead';
  if ((Number(fields[6]) & PF_KTHREAD) !== 0) return 'kernel';
  const [parent, group, session, started] = [fields[1], fields[2], fields[3], fields[19]].map(Number);
  if (parent === undefined || group === undefined || session === undefined || started === undefined) return 'gone';
  return { pid, parent, group, session, started };
}

async function readMark(pid: number, mark: TreeMark): Promise<'marked' | 'unmarked' | 'undecided'> {
  const environment = await readFile(`/proc/${pid}/environ`).catch((error: NodeJS.ErrnoException) => error.code);
  // One that belongs to somebody else cannot be read, and is not ours.
  if (environment === 'EACCES' || environment === 'EPERM') return 'unmarked';
  if (environment instanceof Buffer) {
    const wanted = Buffer.from(mark.environment);
    if (environment.subarray(0, wanted.length).equals(wanted)) return 'marked';
    if (environment.includes(Buffer.concat([Buffer.of(0), wanted]))) return 'marked';
  }
  for (const fd of mark.pipe === null ? [] : [1, 2]) {
    const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '');
    if (target === mark.pipe || target === `${mark.pipe} (deleted)`) return 'marked';
  }
  return environment instanceof Buffer && environment.length > 0 ? 'unmarked' : 'undecided';
}

/** A few at a time: a machine may have thousands of processes, and the thread pool serves the whole app. */
async function inBatches<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += 32) {
    results.push(...(await Promise.all(items.slice(at, at + 32).map(work))));
  }
  return results;
}
